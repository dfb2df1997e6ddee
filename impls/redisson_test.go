package impls_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/impls"
)

func sceneOf(t *testing.T, lock string) *scene {
	e, err := impls.Find(lock)
	if err != nil {
		t.Fatal(err)
	}
	return newScene(t, needRedis(t), e, "")
}

// TestNoWatchdog names a lease: nothing renews it, and it ends.
func TestNoWatchdog(t *testing.T) {
	for _, lock := range []string{"redisson", "redisson-spin", "redisson-multi", "redisson-fenced"} {
		t.Run(lock, func(t *testing.T) {
			t.Parallel()
			s := sceneOf(t, lock)
			u := s.user(s.crashing)
			g, err := u.Acquire(s.ctx)
			if err != nil {
				t.Fatal(err)
			}
			if u.env.running.Load() != 0 {
				t.Error("a watchdog runs")
			}
			if err := s.eventually("the lease ends", func() bool { return s.dump() == "|" }); err != nil {
				t.Error(err)
			}
			if err := u.Release(s.ctx, g); !errors.Is(err, impls.ErrNotOwner) || !impls.Definite(err) {
				t.Errorf("released what is over: %v", err)
			}
		})
	}
}

// TestMaxRenewals counts the renewals of a holder that is stuck: it loses the lock.
func TestMaxRenewals(t *testing.T) {
	s := sceneOf(t, "redisson")
	u := s.user(func(o *impls.Options) { o.TTL, o.MaxRenewals = renewed, 2 })
	if _, err := u.Acquire(s.ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.eventually("the lease ends", func() bool { return s.dump() == "|" }); err != nil {
		t.Error(err)
	}
	if n := len(u.noticed()); n != 2 {
		t.Errorf("%d renewals, want 2", n)
	}
}

// TestMultiIsAllOrNone holds the second of three keys: no client gets the others meanwhile, and
// nothing of the attempt stays.
func TestMultiIsAllOrNone(t *testing.T) {
	s := sceneOf(t, "redisson-multi")
	one := sceneOf(t, "redisson")
	s.keys = []string{s.key(), one.key(), s.key() + ":3"}
	holder := one.user(nil)
	h, err := holder.Acquire(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	u := s.user(hurried)
	if _, err := u.Acquire(s.ctx); !errors.Is(err, impls.ErrHeld) || !impls.Definite(err) {
		t.Errorf("acquired all although one is held: %v", err)
	}
	if n, err := s.admin[0].Exists(s.ctx, s.keys[0], s.keys[2]).Result(); n != 0 || err != nil {
		t.Errorf("%d locks of the attempt are left: %v", n, err)
	}
	if err := s.quiet(u); err != nil {
		t.Error(err)
	}
	if err := holder.Release(s.ctx, h); err != nil {
		t.Fatal(err)
	}
	g, err := u.Acquire(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.admin[0].Exists(s.ctx, s.keys...).Result(); n != 3 || err != nil {
		t.Errorf("%d of 3 locks are held: %v", n, err)
	}
	if err := u.Release(s.ctx, g); err != nil {
		t.Error(err)
	}
}

// TestMultiExtendsAsItsWeakestLock asks that no notice claims more than every one of its locks has.
func TestMultiExtendsAsItsWeakestLock(t *testing.T) {
	s := sceneOf(t, "redisson-multi")
	s.keys = append(s.keys, s.key()+":2")
	u := s.user(func(o *impls.Options) { o.TTL = renewed })
	g, err := u.Acquire(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.eventually("both are renewed", func() bool { return len(u.noticed()) >= 4 }); err !=
		nil {
		t.Fatal(err)
	}
	if err := u.Release(s.ctx, g); err != nil {
		t.Error(err)
	}
	notices := u.noticed()
	if first := notices[0].Extended.Sent; first > g.Sent+renewed/3 {
		t.Errorf("the first renewal, of one lock, claims a lease from %v for a hold from %v", first,
			g.Sent)
	}
}

// TestNothingIsLeftRunning ends a waiting call of every lock and releases the other client's hold,
// and then looks for goroutines that run our code. It is not parallel to others, whose goroutines
// it would see.
func TestNothingIsLeftRunning(t *testing.T) {
	w := needRedis(t)
	for _, e := range impls.All() {
		if departs(e.Name, "acquires when free") == nil {
			t.Run(e.Name, func(t *testing.T) { leaveNothingRunning(t, newScene(t, w, e, "")) })
		}
	}
}

func leaveNothingRunning(t *testing.T, s *scene) {
	a, b := s.user(nil), s.user(nil)
	g, err := a.Acquire(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan impls.Grant, 1)
	go func() {
		late, _ := b.Acquire(ctx)
		done <- late
	}()
	if err := s.eventually("the second client waits", func() bool {
		return s.waits(b) ||
			len(done) > 0
	}); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-done
	_ = a.Release(s.ctx, g)
	if err := s.eventually("no goroutine runs a lock", func() bool {
		return !strings.Contains(stacks(),
			"lockbench/impls.")
	}); err != nil {
		t.Errorf("%v:\n%s", err, stacks())
	}
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}
