package impls_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/redis/go-redis/v9"
)

// These tests pin what the documents say in passing, and lab/results/claims.md names them.

// virtually gives a test a scene of the simulator, where waiting costs nothing.
func virtually(t *testing.T, lock string, f func(s *scene) error) {
	e, err := impls.Find(lock)
	if err != nil {
		t.Fatal(err)
	}
	simulated{}.host(t, func(w environment) {
		if err := f(newScene(t, w, e, "")); err != nil {
			t.Error(err)
		}
	})
}

// TestJavaWaitsASecondLonger is D000 line 98: a time-out of five seconds is over after six.
func TestJavaWaitsASecondLonger(t *testing.T) {
	virtually(t, "getset-java", func(s *scene) error {
		s.do("SET", s.key(), time.Now().Add(time.Hour).UnixMilli())
		s.wall.frozen = false
		u := s.user(func(o *impls.Options) {
			o.AcquireTimeout, o.Poll = 5*time.Second, 100*time.Millisecond
		})
		start := time.Now()
		_, err := u.Acquire(s.ctx)
		if !errors.Is(err, impls.ErrHeld) {
			return err
		}
		if waited := time.Since(start); waited < 6*time.Second || waited > 6500*time.Millisecond {
			t.Errorf("gave up after %v", waited)
		}
		return nil
	})
}

// TestJavaThrowsOnNil is D000 line 160 in the release: the key is gone, and Long.valueOf(null)
// throws out of the finally block.
func TestJavaThrowsOnNil(t *testing.T) {
	virtually(t, "getset-java", func(s *scene) error {
		u := s.user(nil)
		g, err := u.Acquire(s.ctx)
		if err != nil {
			return err
		}
		s.do("DEL", s.key())
		err = u.Release(s.ctx, g)
		if err == nil || !strings.Contains(err.Error(), "NumberFormatException") {
			t.Errorf("the key is gone, and the release says %v", err)
		}
		return nil
	})
}

// TestRenewsEachThird counts the renewals of a lease of 30 s: one each 10 s.
func TestRenewsEachThird(t *testing.T) {
	virtually(t, "redisson", func(s *scene) error {
		u := s.user(func(o *impls.Options) { o.TTL = 30 * time.Second })
		g, err := u.Acquire(s.ctx)
		if err != nil {
			return err
		}
		time.Sleep(35 * time.Second)
		for i, n := range u.noticed() {
			if at := (n.Extended.Sent - g.Sent).Round(time.Second); at != time.Duration(i+1)*10*time.Second {
				t.Errorf("renewal %d after %v", i+1, at)
			}
		}
		if n := len(u.noticed()); n != 3 {
			t.Errorf("%d renewals in 35 s", n)
		}
		return u.Release(s.ctx, g)
	})
}

// TestWaitingForTheEventCountsAsWaiting asks for a lock that stays held: subscribing, and waiting
// for a message, take their time from the caller's.
func TestWaitingForTheEventCountsAsWaiting(t *testing.T) {
	virtually(t, "redisson", func(s *scene) error {
		a, b := s.user(nil), s.user(func(o *impls.Options) { o.AcquireTimeout = 5 * time.Second })
		g, err := a.Acquire(s.ctx)
		if err != nil {
			return err
		}
		start, before := time.Now(), b.tap.commands()
		if _, err := b.Acquire(s.ctx); !errors.Is(err, impls.ErrHeld) {
			t.Errorf("waited for a lock that is held: %v", err)
		}
		if waited := time.Since(start); waited < 5*time.Second || waited > 5100*time.Millisecond {
			t.Errorf("gave up after %v", waited)
		}
		if n := b.tap.commands() - before; n > 6 {
			t.Errorf("%d commands while it waited for five seconds", n)
		}
		return a.Release(s.ctx, g)
	})
}

// TestCountersBelongToAThread is D001 line 778: each owner has a counter of its own, and no other
// owner's unlock counts.
func TestCountersBelongToAThread(t *testing.T) {
	virtually(t, "redisson", func(s *scene) error {
		a, b := s.user(nil), s.user(hurried)
		first, err := a.Acquire(s.ctx)
		if err != nil {
			return err
		}
		second, err := a.Acquire(s.ctx)
		if err != nil {
			return err
		}
		for _, g := range []impls.Grant{second, first} {
			if err := b.Release(s.ctx, first); !errors.Is(err, impls.ErrNotOwner) {
				t.Errorf("another's unlock: %v", err)
			}
			if _, err := b.Acquire(s.ctx); !errors.Is(err, impls.ErrHeld) {
				t.Errorf("another got in: %v", err)
			}
			if err := a.Release(s.ctx, g); err != nil {
				return err
			}
		}
		if s.dump() != "|" {
			t.Errorf("as many unlocks as locks leave %q", s.dump())
		}
		return nil
	})
}

// TestNoEventWhenALeaseEnds listens where an unlock is told (D001 line 788): the end of a lease is
// not.
func TestNoEventWhenALeaseEnds(t *testing.T) {
	s := sceneOf(t, "redisson")
	u := s.user(s.crashing)
	heard := s.admin[0].Subscribe(s.ctx, "redisson_lock__channel:{"+s.key()+"}")
	defer heard.Close()
	if _, err := heard.Receive(s.ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		g, err := u.Acquire(s.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.eventually("the lease ends", func() bool { return s.dump() == "|" }); err != nil {
			t.Fatal(err)
		}
		if err := u.Release(s.ctx, g); !errors.Is(err, impls.ErrNotOwner) {
			t.Errorf("released what is over: %v", err)
		}
	}
	g, err := u.Acquire(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Release(s.ctx, g); err != nil {
		t.Fatal(err)
	}
	if _, err := heard.ReceiveMessage(s.ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case m := <-heard.Channel(redis.WithChannelSize(1)):
		t.Errorf("three holds ended, one by an unlock, and a second message came: %v", m)
	case <-time.After(20 * time.Millisecond):
	}
}

// TestLeaseEndsBeforeTheUnlock is D001 lines 90–91 with a named lease: the lock is held by this
// thread when it asks, and not any more when it unlocks, so that unlock throws.
func TestLeaseEndsBeforeTheUnlock(t *testing.T) {
	s := sceneOf(t, "redisson")
	u := s.user(s.crashing)
	g, err := u.Acquire(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	locked := s.admin[0].Exists(s.ctx, s.key()).Val() == 1
	held := s.admin[0].HExists(s.ctx, s.key(), g.Value).Val()
	if err := s.eventually("the lease ends", func() bool { return s.dump() == "|" }); err != nil {
		t.Fatal(err)
	}
	if err := u.Release(s.ctx, g); !locked || !held || !errors.Is(err, impls.ErrNotOwner) {
		t.Errorf("isLocked %t, isHeldByCurrentThread %t, unlock: %v", locked, held, err)
	}
}

// TestWithoutATimeoutItStays is D002 line 84: without a timeout the value is the year 2038,
// and the lock stays.
func TestWithoutATimeoutItStays(t *testing.T) {
	virtually(t, "getset-redispy", func(s *scene) error {
		forever := func(o *impls.Options) { o.TTL = 0 }
		a, b := s.user(forever), s.user(func(o *impls.Options) { forever(o); hurried(o) })
		g, err := a.Acquire(s.ctx)
		if err != nil {
			return err
		}
		time.Sleep(30 * time.Second)
		if _, err := b.Acquire(s.ctx); !errors.Is(err, impls.ErrHeld) {
			t.Errorf("a lock without a timeout was given away: %v", err)
		}
		return a.Release(s.ctx, g)
	})
}

// TestExpireCountsInSeconds is D004 line 37: 10000 is 2 h 46 min 40 s, and not the 20 s of the
// other way.
func TestExpireCountsInSeconds(t *testing.T) {
	c := needRedis(t).connect(1)[0]
	const key = "expire-in-seconds"
	defer c.Del(t.Context(), key)
	c.SetNX(t.Context(), key, "App1Lock", 0)
	c.Do(t.Context(), "EXPIRE", key, 10000)
	left, err := c.PTTL(t.Context(), key).Result()
	if err != nil || left < 9990*time.Second {
		t.Errorf("%v left, %v", left, err)
	}
}

// TestTwoLocksInOppositeOrder is D001 line 790: two programs each hold what the other wants. With a
// watchdog neither ever gets it; with a lease that ends, one loses what it has, and both go on.
func TestTwoLocksInOppositeOrder(t *testing.T) {
	for _, watchdog := range []bool{true, false} {
		virtually(t, "redisson", func(s *scene) error {
			one, two := s.key(), s.key()+":b"
			user := func(key string) *user {
				s.keys = []string{key}
				return s.user(func(o *impls.Options) {
					o.TTL, o.NoWatchdog, o.AcquireTimeout = 2*time.Second, !watchdog, 15*time.Second
				})
			}
			for _, key := range []string{one, two} {
				if _, err := user(key).Acquire(s.ctx); err != nil {
					return err
				}
			}
			var waits []func()
			var got [2]error
			for i, key := range []string{two, one} {
				other := user(key)
				waits = append(waits, other.env.Go(s.ctx, func(ctx context.Context) {
					_, got[i] = other.Acquire(ctx)
				}))
			}
			for _, wait := range waits {
				wait()
			}
			for i, err := range got {
				if held := errors.Is(err, impls.ErrHeld); held != watchdog || err != nil && !held {
					t.Errorf("watchdog %v: program %d, which holds one lock, asked for the other: %v", watchdog,
						i, err)
				}
			}
			return nil
		})
	}
}
