package impls

import (
	"context"
	"sync"
)

// local is a mutex inside the client's own process: the control that holds within a process and
// must fail between two. It sends nothing to Redis and declares nothing.
type local struct {
	Setup
	mu sync.Mutex
}

func newLocal(s Setup) (Lock, error) { return &local{Setup: s}, nil }

// Acquire polls the mutex, so that a context can end the wait.
func (l *local) Acquire(ctx context.Context) (Grant, error) {
	return l.acquire(ctx, l.try, l.Release)
}

func (l *local) try(ctx context.Context) (Grant, bool, error) {
	return Grant{Sent: l.Env.Elapsed()}, l.mu.TryLock(), nil
}

// Release unlocks the mutex.
func (l *local) Release(context.Context, Grant) error {
	if l.mu.TryLock() {
		l.mu.Unlock()
		return ErrNotOwner
	}
	l.mu.Unlock()
	return nil
}

// none does not lock. As the control of an experiment it must be violated at once. It sends nothing
// to Redis and declares nothing.
type none struct {
	Setup
}

func newNone(s Setup) (Lock, error) { return &none{s}, nil }

// Acquire grants, unless ctx has ended.
func (l *none) Acquire(ctx context.Context) (Grant, error) {
	if err := ctx.Err(); err != nil {
		return Grant{}, held(err)
	}
	return Grant{Sent: l.Env.Elapsed()}, nil
}

// Release does nothing.
func (l *none) Release(context.Context, Grant) error { return nil }
