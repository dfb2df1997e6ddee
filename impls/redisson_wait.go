package impls

import (
	"context"
	"math"
	"time"

	"github.com/redis/go-redis/v9"
)

// patience is how long a call may still wait. It follows the wall clock, as D001 does with
// System.currentTimeMillis.
type patience struct {
	env   Env
	start time.Time
	total time.Duration // 0: for ever
}

func (p patience) remaining() time.Duration {
	if p.total == 0 {
		return math.MaxInt64
	}
	return p.total - p.env.Now().Sub(p.start)
}

// tryLock tries, subscribes to the lock's channel, and then tries each time it is woken or the
// holder's lease is over (D001 lines 360–445). The subscription is gone when it returns.
func (l *redisson) tryLock(ctx context.Context, p patience) (Grant, error) {
	g, _, ok, err := l.try(ctx)
	if ok || err != nil {
		return g, err
	}
	if p.remaining() <= 0 {
		return g, ErrHeld
	}
	w, err := l.subscribe(ctx, p.remaining())
	if err != nil {
		return g, held(err) // D001 lines 387–396: no subscription in time is a refusal
	}
	defer w.close(ctx)
	for {
		if p.remaining() <= 0 {
			return g, ErrHeld
		}
		g, rest, ok, err := l.try(ctx)
		if ok || err != nil {
			return g, err
		}
		left := p.remaining()
		if left <= 0 {
			return g, ErrHeld
		}
		if rest >= 0 && rest < left {
			left = rest
		}
		if err := w.wait(ctx, left); err != nil {
			return g, held(err)
		}
	}
}

// waiter is one subscription to a lock's channel.
type waiter struct {
	env     Env
	channel string
	sub     *redis.PubSub
	stop    func() bool
}

// subscribe returns when the subscription is confirmed. A read of go-redis does not end with its
// context, so the end of ctx closes the connection under it.
func (l *redisson) subscribe(ctx context.Context, patience time.Duration) (*waiter, error) {
	sub := l.Client().Subscribe(ctx, l.channel())
	w := &waiter{env: l.Env, channel: l.channel(), sub: sub}
	w.stop = context.AfterFunc(ctx, func() { _ = sub.Close() })
	if _, err := w.receive(ctx, patience); err != nil {
		w.close(ctx)
		return nil, err
	}
	return w, nil
}

// receive waits for the next message. The time goes in the context as well as in the call: go-redis
// takes the sooner one, and only the context's is exact.
func (w *waiter) receive(ctx context.Context, d time.Duration) (any, error) {
	timed, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	m, err := w.sub.ReceiveTimeout(timed, min(d, time.Hour)+time.Second)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return m, err
}

// wait returns after a message or after d, whichever is first. A broken subscription wakes no
// waiter: its client sleeps until the holder's lease is over, as D001's does while it reconnects.
func (w *waiter) wait(ctx context.Context, d time.Duration) error {
	start := w.env.Elapsed()
	for {
		left := d - (w.env.Elapsed() - start)
		if left <= 0 {
			return ctx.Err()
		}
		m, err := w.receive(ctx, left)
		if _, woken := m.(*redis.Message); woken {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return w.env.Sleep(ctx, d-(w.env.Elapsed()-start))
		}
	}
}

func (w *waiter) close(ctx context.Context) {
	if w.stop() {
		_ = w.sub.Unsubscribe(ctx, w.channel) // the connection goes anyway
	}
	_ = w.sub.Close()
}
