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

func defect(t *testing.T, of mylock.Lock) {
	locktest.Explore(t, locktest.Lock{
		Taken: mylock.ErrTaken, NotOwner: mylock.ErrLost,
		New: func(c *locktest.Client) (locktest.Acquire, error) {
			lock := of
			lock.Redis, lock.Key, lock.TTL = c.Redis(), c.Key, c.TTL
			return func(ctx context.Context) (locktest.Hold, error) {
				return locktest.Hold{Release: lock.Unlock}, lock.TryLock(ctx)
			}, nil
		},
	}, locktest.Options{Faults: []string{"none", "pause"}, Seeds: 200, For: time.Hour})
}
