package mylock_test

import (
	"context"
	"testing"

	"example.org/mylock"
	"github.com/lockbench/lockbench/locktest"
)

func TestMyLock(t *testing.T) {
	locktest.Explore(t, locktest.Lock{
		Taken: mylock.ErrTaken, NotOwner: mylock.ErrLost,
		New: func(c *locktest.Client) (locktest.Acquire, error) {
			lock := &mylock.Lock{Redis: c.Redis(), Key: c.Key, TTL: c.TTL}
			return func(ctx context.Context) (locktest.Hold, error) {
				return locktest.Hold{Release: lock.Unlock}, lock.TryLock(ctx)
			}, nil
		},
	}, locktest.Options{})
}
