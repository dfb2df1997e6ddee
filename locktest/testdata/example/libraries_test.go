package mylock_test

import (
	"context"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/lockbench/lockbench/locktest"
)

// Libraries as they are. The first two tests pass, the others fail: they ask for what no such lock
// can give.

func TestRedislock(t *testing.T) { redislockUnder(t, locktest.Options{}) }
func TestRedsync(t *testing.T)   { redsyncUnder(t, locktest.Options{}) }

func TestRedislockFailover(t *testing.T)  { redislockUnder(t, under("failover")) }
func TestRedsyncClockServer(t *testing.T) { redsyncUnder(t, under("clock-server")) }

func under(fault string) locktest.Options {
	return locktest.Options{Faults: []string{fault}, Seeds: 200, For: time.Hour}
}

func redislockUnder(t *testing.T, o locktest.Options) {
	locktest.Explore(t, locktest.Lock{
		Taken: redislock.ErrNotObtained, NotOwner: redislock.ErrLockNotHeld,
		New: func(c *locktest.Client) (locktest.Acquire, error) {
			locks := redislock.New(c.Redis())
			return func(ctx context.Context) (h locktest.Hold, err error) {
				lock, err := locks.Obtain(ctx, c.Key, c.TTL, nil)
				if err == nil {
					h.Release = lock.Release
				}
				return h, err
			}, nil
		},
	}, o)
}

func redsyncUnder(t *testing.T, o locktest.Options) {
	locktest.Explore(t, locktest.Lock{
		Servers: 5, Validity: true, Poll: 250 * time.Millisecond,
		New: func(c *locktest.Client) (locktest.Acquire, error) {
			var pools []redis.Pool
			for i := range c.Servers() {
				pools = append(pools, goredis.NewPool(c.Connect(i)))
			}
			locks := redsync.New(pools...)
			return func(ctx context.Context) (h locktest.Hold, err error) {
				lock := locks.NewMutex(c.Key, redsync.WithExpiry(c.TTL))
				err = lock.LockContext(ctx)
				h.ValidUntil = lock.Until()
				h.Release = func(ctx context.Context) error { _, err := lock.UnlockContext(ctx); return err }
				return h, err
			}, nil
		},
	}, o)
}
