package impls

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"
)

// redissonMulti is RedissonMultiLock (D001 line 603): several redisson locks, all or none, taken in
// the order of the keys. It declares a lease and re-entry. A hold is as good as the weakest of its
// locks. Known defects: those of redisson. With a lease of the caller's own, each lock is first
// taken for twice the waiting time.
type redissonMulti struct {
	Setup
	locks []*redisson

	mu   sync.Mutex      // the locks' watchdogs report at the same time
	sent []time.Duration // of each lock: when its present lease began
	held bool            // all are taken
}

func newRedissonMulti(s Setup) (Lock, error) {
	l := &redissonMulti{Setup: s, sent: make([]time.Duration, len(s.Keys))}
	owner := s.Env.Token() + ":1"
	for i, key := range s.Keys {
		one := s
		one.Keys = []string{key}
		one.Notify = func(n Notice) { l.extended(i, n) }
		r := makeRedisson(one)
		r.owner = owner
		l.locks = append(l.locks, r)
	}
	return l, nil
}

// Acquire is tryLock(waitTime, leaseTime): it takes one lock after the other and gives all back
// when one is not granted in time, and begins again while there is time. An exception of one lock
// counts as a refusal.
func (l *redissonMulti) Acquire(ctx context.Context) (Grant, error) {
	p := patience{l.Env, l.Env.Now(), l.Options.AcquireTimeout}
	for left := false; ; {
		g, n, err := l.takeAll(ctx, l.round(p))
		if err == nil {
			return g, nil
		}
		left = left || !Definite(err)
		undo := l.giveBack(ctx, n)
		left = left || undo != nil
		if ctx.Err() != nil || p.remaining() <= 0 {
			return g, changed(held(ctx.Err()), left)
		}
		// The sleep is ours: Redisson begins again at once, also when a lock refuses without waiting.
		if err := l.Env.Sleep(ctx, min(l.Options.Poll, p.remaining())); err != nil {
			return g, changed(held(err), left)
		}
	}
}

// multiWait is how long lock() without a time-out waits for one lock before it gives all back and
// begins again.
const multiWait = 1500 * time.Millisecond

func (l *redissonMulti) round(p patience) patience {
	if p.total > 0 {
		return p
	}
	return patience{l.Env, l.Env.Now(), time.Duration(len(l.locks)) * multiWait}
}

// takeAll takes every lock in turn. On an error, n locks are, or may be, taken.
func (l *redissonMulti) takeAll(ctx context.Context, p patience) (g Grant, n int, err error) {
	g = Grant{Sent: math.MaxInt64, Lease: l.Options.TTL}
	for i, r := range l.locks {
		if l.Options.NoWatchdog && l.Options.AcquireTimeout > 0 {
			r.Options.TTL = 2 * l.Options.AcquireTimeout
		}
		one, err := r.tryLock(ctx, p)
		if err != nil && Definite(err) {
			return g, i, err
		}
		if err != nil {
			return g, i + 1, err // RedisResponseTimeoutException: this one is unlocked, too
		}
		g.Sent, g.Value, g.Depth = min(g.Sent, one.Sent), one.Value, one.Depth
		l.began(i, one.Sent)
	}
	if l.Options.NoWatchdog {
		g.Sent, err = l.expire(ctx)
	}
	l.setHeld(err == nil)
	return g, len(l.locks), err
}

// expire gives every lock the caller's own lease, now that all are there.
func (l *redissonMulti) expire(ctx context.Context) (sent time.Duration, err error) {
	sent = l.Env.Elapsed()
	for _, r := range l.locks {
		r.Options.TTL = l.Options.TTL
		err = join(err, r.Client().Do(ctx, "PEXPIRE", r.Key(), r.lease()).Err())
	}
	return sent, err
}

// giveBack unlocks the first n locks, one after the other (unlockInner).
func (l *redissonMulti) giveBack(ctx context.Context, n int) error {
	var errs []error
	for _, r := range l.locks[:n] {
		if err := r.Release(context.WithoutCancel(ctx), Grant{}); !errors.Is(err, ErrNotOwner) {
			errs = append(errs, err)
		}
	}
	return join(errs...)
}

// Release unlocks all locks at the same time.
func (l *redissonMulti) Release(ctx context.Context, g Grant) error {
	l.setHeld(false)
	errs := make([]error, len(l.locks))
	l.fanOut(ctx, len(l.locks), func(ctx context.Context, i int) {
		errs[i] = l.locks[i].Release(ctx, g)
	})
	free, err := 0, join(errs...)
	for _, e := range errs {
		if e == nil {
			free++
		}
	}
	return changed(err, free > 0)
}

func (l *redissonMulti) began(i int, sent time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent[i] = sent
}

func (l *redissonMulti) setHeld(held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = held
}

// extended passes on that one lock was renewed: the hold as a whole lasts as long as the lock that
// was renewed first.
func (l *redissonMulti) extended(i int, n Notice) {
	l.mu.Lock()
	l.sent[i] = n.Extended.Sent
	g, held := *n.Extended, l.held
	for _, s := range l.sent {
		g.Sent = min(g.Sent, s)
	}
	l.mu.Unlock()
	if held {
		l.notify(Notice{Extended: &g})
	}
}
