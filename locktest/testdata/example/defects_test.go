package mylock_test

import (
	"context"
	"testing"
	"time"

	"example.org/mylock"
	"github.com/lockbench/lockbench/locktest"
)

// These tests fail: each lock has a defect.

func TestBlind(t *testing.T)   { defect(t, mylock.Lock{Blind: true}) }
func TestAlways(t *testing.T)  { defect(t, mylock.Lock{Always: true}) }
func TestShorter(t *testing.T) { defect(t, mylock.Lock{Shorter: 4}) }

// These need no fault, and no second client inside.

func TestSeconds(t *testing.T) { alone(t, mylock.Lock{Seconds: true}, "V") }
func TestUnasked(t *testing.T) { alone(t, mylock.Lock{Unasked: true}, "V") }
func TestHides(t *testing.T)   { alone(t, mylock.Lock{Hides: true}, "R") }
func TestForgets(t *testing.T) { alone(t, mylock.Lock{Forgets: true}) }

func defect(t *testing.T, of mylock.Lock) {
	search(t, of, 0, locktest.Options{Faults: []string{"none", "pause"}})
}

// alone searches without a fault, for these properties or for all that the lock can be held to.
func alone(t *testing.T, of mylock.Lock, properties ...string) {
	search(t, of, 1500*time.Millisecond,
		locktest.Options{Faults: []string{"none"}, Properties: properties})
}

func search(t *testing.T, of mylock.Lock, ttl time.Duration, o locktest.Options) {
	o.Seeds, o.For = 200, time.Hour
	locktest.Explore(t, locktest.Lock{
		TTL: ttl, Taken: mylock.ErrTaken, NotOwner: mylock.ErrLost,
		New: func(c *locktest.Client) (locktest.Acquire, error) {
			lock := of
			lock.Redis, lock.Key, lock.TTL = c.Redis(), c.Key, c.TTL
			return func(ctx context.Context) (locktest.Hold, error) {
				return locktest.Hold{Release: lock.Unlock}, lock.TryLock(ctx)
			}, nil
		},
	}, o)
}
