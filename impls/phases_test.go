package impls_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/lockbench/lockbench/impls"
)

// vanishesBeforeGet lets the holder release just before a waiting client's GET. The lock is free,
// so the client must get it.
func vanishesBeforeGet(s *scene) error {
	s.do("SET", s.key(), farFuture)
	b := s.user(nil)
	var once sync.Once
	b.tap.before = func(_ int, name string) {
		if name == "GET" {
			once.Do(func() { s.do("DEL", s.key()) })
		}
	}
	_, err := b.Acquire(s.ctx)
	return err
}

// farFuture and longAgo are lease ends, in milliseconds as in seconds.
const (
	farFuture = "9000000000000"
	longAgo   = "1000"
)

// vanishesAndIsTaken lets a third client take the lock between the GET that found nothing and what
// follows.
func vanishesAndIsTaken(s *scene) error {
	s.do("SET", s.key(), farFuture)
	b, c := s.user(hurried), s.user(nil)
	var once sync.Once
	b.tap.before = func(_ int, name string) {
		if name == "GET" {
			once.Do(func() { s.do("DEL", s.key()) })
		}
	}
	var taken error
	b.tap.after = func(_ int, name string, err error) {
		if name == "GET" && refusedNil(err) {
			_, taken = c.Acquire(s.ctx)
		}
	}
	_, err := b.Acquire(s.ctx)
	if taken == nil && err == nil {
		return errors.New("two clients are inside")
	}
	return taken
}

// vanishesBeforeGetset lets the key go between a GET that found an old lease and the GETSET. A good
// lock is granted, or leaves nothing.
func vanishesBeforeGetset(s *scene) error {
	s.do("SET", s.key(), longAgo)
	b := s.user(hurried)
	var once sync.Once
	b.tap.before = func(_ int, name string) {
		if name == "GETSET" {
			once.Do(func() { s.do("DEL", s.key()) })
		}
	}
	_, err := b.Acquire(s.ctx)
	if err != nil && s.dump() != "|" {
		return fmt.Errorf("not granted (%w), and the key is set", err)
	}
	return nil
}

// takenOverHalfway lets a client die after each of its commands in turn. What it leaves must end.
func takenOverHalfway(s *scene) error {
	for n := 1; n <= 3; n++ {
		a := s.user(s.crashing)
		a.tap.die = n
		_, err := a.Acquire(s.ctx)
		s.shorten()
		b := s.user(nil)
		g, blocked := b.Acquire(s.ctx)
		if blocked != nil {
			return fmt.Errorf("died after command %d (%v): %w", n, err, blocked)
		}
		_ = b.Release(s.ctx, g)
		s.do("DEL", s.key()) // for the next round, also from those that do not release
	}
	return nil
}

// refusedReleasesNothing gives up an acquire, and does what the lock's document does then.
func refusedReleasesNothing(s *scene) error {
	if _, err := s.user(nil).Acquire(s.ctx); err != nil {
		return err
	}
	before := s.dump()
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	b := s.user(hurried)
	if _, err := b.Acquire(ctx); err == nil {
		return errors.New("granted with a context that has ended")
	}
	f, ok := b.Lock.(impls.Finalizer)
	if !ok {
		return nil
	}
	if err := f.Finally(s.ctx); s.dump() != before {
		return fmt.Errorf("the holder's lock was released by a client that had none, which was told: %v",
			err)
	}
	return nil
}

// tokensGrow draws a few tokens, by two clients in turn.
func tokensGrow(s *scene) error {
	last := int64(0)
	for range 3 {
		for _, u := range []*user{s.user(nil), s.user(nil)} {
			g, err := u.Acquire(s.ctx)
			if err != nil {
				return err
			}
			if g.Fence <= last {
				return fmt.Errorf("token %d after %d", g.Fence, last)
			}
			last = g.Fence
			if err := u.Release(s.ctx, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// lostReply loses the first reply. The client then does not know what the server did, so the call
// may be granted later or break off, but not say that nothing happened.
func lostReply(s *scene) error {
	u := s.user(hurried)
	u.tap.lose = 1
	_, err := u.Acquire(s.ctx)
	if err != nil && impls.Definite(err) {
		return fmt.Errorf("definite: %w", err)
	}
	return nil
}

// endsBeforeCommands ends the context just before each command that a contending client sends.
func endsBeforeCommands(s *scene) error {
	if _, err := s.user(nil).Acquire(s.ctx); err != nil {
		return err
	}
	for n := 1; n <= 4; n++ {
		ctx, cancel := context.WithCancel(s.ctx)
		b := s.user(func(o *impls.Options) { o.AcquireTimeout = brief })
		b.tap.before = func(at int, _ string) {
			if at == n {
				cancel()
			}
		}
		g, err := b.Acquire(ctx)
		cancel()
		if err == nil {
			_ = b.Release(s.ctx, g) // granted before it came to the n-th command
		}
		if err := s.quiet(b); err != nil {
			return fmt.Errorf("ended before command %d: %w", n, err)
		}
	}
	return nil
}

// endsWhileWaiting ends the context of a client that waits for the lock, without a time-out of its
// own.
func endsWhileWaiting(s *scene) error {
	if _, err := s.user(nil).Acquire(s.ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	b := s.user(func(o *impls.Options) { o.AcquireTimeout = 0 })
	done := make(chan error, 1)
	go func() {
		_, err := b.Acquire(ctx)
		done <- err
	}()
	if err := s.eventually("the client waits", func() bool {
		return s.waits(b) ||
			len(done) > 0
	}); err != nil {
		return err
	}
	cancel()
	if err := <-done; err == nil {
		return errors.New("two clients are inside")
	}
	return s.quiet(b)
}

// quiet asks that nothing of a client goes on: no goroutine and no subscription.
func (s *scene) quiet(u *user) error {
	if n := u.env.running.Load(); n != 0 {
		return fmt.Errorf("%d goroutines go on", n)
	}
	return s.eventually("nobody is subscribed", func() bool {
		for _, c := range s.admin {
			channel := "redisson_lock__channel:{" + s.key() + "}"
			n, err := c.PubSubNumSub(s.ctx, channel).Result()
			if err != nil || n[channel] != 0 {
				return false
			}
		}
		return true
	})
}

// holdsOn ends the context with which the lock was acquired: the hold must live on, and its
// watchdog with it.
func holdsOn(s *scene) error {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	u := s.user(func(o *impls.Options) {
		if s.entry.Watchdog {
			o.TTL = renewed
		}
	})
	g, err := u.Acquire(ctx)
	if err != nil {
		return err
	}
	cancel()
	if s.entry.Watchdog {
		have := len(u.noticed())
		if err := s.eventually("renewals go on", func() bool { return len(u.noticed()) > have+1 }); err !=
			nil {
			return err
		}
	}
	if err := u.Release(s.ctx, g); err != nil {
		return err
	}
	return s.quiet(u)
}

// prolongs holds for longer than the lease.
func prolongs(s *scene) error {
	u := s.user(func(o *impls.Options) {
		if s.entry.Watchdog {
			o.TTL = renewed
		}
	})
	g, err := u.Acquire(s.ctx)
	if err != nil {
		return err
	}
	if s.entry.Watchdog {
		return s.renews(u, g)
	}
	later, err := u.Lock.(impls.Extender).Extend(s.ctx, g)
	if err != nil {
		return err
	}
	if later.Sent <= g.Sent || later.ValidUntil <= g.ValidUntil {
		return fmt.Errorf("extended from %+v to %+v", g, later)
	}
	if err := u.Release(s.ctx, later); err != nil {
		return err
	}
	if _, err := u.Lock.(impls.Extender).Extend(s.ctx, later); !errors.Is(err, impls.ErrNotOwner) {
		return fmt.Errorf("extended what is not held: %v", err)
	}
	return nil
}

func (s *scene) renews(u *user, g impls.Grant) error {
	if err := s.eventually("the watchdog renews", func() bool {
		return u.env.Elapsed() > g.Sent+2*renewed
	}); err != nil {
		return err
	}
	last := g.Sent
	for _, n := range u.noticed() {
		if n.Extended == nil || n.Extended.Sent <= last || n.Extended.Lease != renewed {
			return fmt.Errorf("notice %+v after %v", n, last)
		}
		last = n.Extended.Sent
	}
	if err := u.Release(s.ctx, g); err != nil {
		return fmt.Errorf("the lease was not prolonged: %w", err)
	}
	return s.quiet(u)
}

// tellsOfLoss takes the key away. A holder must be told, or must have been told beforehand until
// when it may hold.
func tellsOfLoss(s *scene) error {
	u := s.user(func(o *impls.Options) {
		if s.entry.Watchdog {
			o.TTL = renewed
		}
	})
	g, err := u.Acquire(s.ctx)
	if err != nil {
		return err
	}
	s.do("DEL", s.key())
	if err := s.eventually("its watchdog has seen it", func() bool {
		return u.env.running.Load() == 0
	}); err != nil {
		return err
	}
	for _, n := range u.noticed() {
		if n.Lost != nil {
			return nil
		}
	}
	if g.ValidUntil != 0 {
		return nil
	}
	return errors.New("the holder goes on and knows nothing")
}
