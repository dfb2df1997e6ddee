package workloads

import (
	"context"
	"errors"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/redis/go-redis/v9"
)

// cycle acquires, holds and releases. It returns an error if the next cycle must be delayed.
func (w *Worker) cycle(o Order) error {
	l, err := w.locks.find(o)
	if err != nil {
		return err
	}
	w.pass(nemesis.Acquiring, o)
	stand, stay, done := w.bounds(o) // here, since a loss may come before Acquire returns
	defer done()
	w.opening.Store(true)
	g, err := w.acquire(l, o, 0)
	w.opening.Store(false)
	w.pass(nemesis.Replied, o)
	if err != nil {
		if errors.Is(err, impls.ErrHeld) {
			err = nil
		}
		return errors.Join(err, w.finally(l, o))
	}
	w.passWithin(stand, nemesis.Granted, o)
	w.inside(stay, l, o, g)
	w.passWithin(stand, nemesis.Releasing, o)
	err = w.release(l, o, g, 0)
	w.pass(nemesis.Released, o)
	return err
}

// acquire calls Acquire as the cycle's first acquisition or, with a depth, as a nested one with a
// number of its own.
func (w *Worker) acquire(l RemoteLock, o Order, depth int) (Granted, error) {
	o.N += depth
	w.begin(history.Acquire, o, depth, 0)
	w.meanings.begin(history.Acquire, w.locks.names(o))
	ctx, end := w.startCall(w.waiting)
	g, err := l.Acquire(ctx, o.N)
	end()
	w.meanings.end(err == nil)
	if errors.Is(err, ErrGone) {
		return g, err
	}
	e := w.outcome(history.Acquire, o, err)
	e.T, e.Depth = g.At, depth
	if err == nil {
		e.Grant = w.stamped(g).record()
	}
	w.event(e)
	return g, err
}

// release releases a lock. A stop does not cut it short.
func (w *Worker) release(l RemoteLock, o Order, g Granted, depth int) error {
	return w.giveBack(o, depth, func(begun func(int64)) (int64, error) {
		ctx, end := w.startCall(w.lifetime.life)
		defer end()
		return l.Release(ctx, o.N+depth, g, begun)
	})
}

// extend prolongs the lease of a hold, as an operation of its own, and returns the grant that the
// hold has then.
func (w *Worker) extend(l RemoteLock, o Order, g Granted) (Granted, error) {
	e, can := l.(Extender)
	if !can {
		return g, errCannotExtend
	}
	ctx, end := w.startCall(w.lifetime.life)
	defer end()
	next, err := e.Extend(ctx, o.N, g, func(at int64) { w.begin(history.ExtendOp, o, 0, at) })
	if errors.Is(err, ErrGone) {
		return g, err
	}
	done := w.outcome(history.ExtendOp, o, err)
	if done.T = next.At; err == nil {
		done.Grant = w.stamped(next).record()
		g = next
	}
	w.event(done)
	return g, err
}

// finally releases after an Acquire that did not grant, if the lock's document does so. The record
// has a release of an acquisition that never was.
func (w *Worker) finally(l RemoteLock, o Order) error {
	here, _ := l.(own)
	f, ok := here.lock.(impls.Finalizer)
	if !ok {
		return nil
	}
	return w.giveBack(o, 0, func(begun func(int64)) (int64, error) {
		begun(0)
		return 0, f.Finally(w.lifetime.life)
	})
}

// giveBack records a call that ends a hold: its start, when the process that has the lock acts, and
// its end. Both have the stamps of that process if it gives any.
func (w *Worker) giveBack(o Order, depth int, call func(begun func(at int64)) (at int64,
	err error)) error {
	o.N += depth
	// here, since a process may send before it reports its start
	w.meanings.begin(history.Release, w.locks.names(o))
	at, err := call(func(at int64) { w.begin(history.Release, o, depth, at) })
	w.meanings.end(err == nil)
	if errors.Is(err, ErrGone) {
		return err
	}
	e := w.outcome(history.Release, o, err)
	e.T, e.Depth = at, depth
	w.event(e)
	if errors.Is(err, impls.ErrNotOwner) {
		return nil
	}
	return err
}

// begin records an invocation; at is its stamp, or 0 for now.
func (w *Worker) begin(f string, o Order, depth int, at int64) {
	e := newEvent(history.Invoke, f, o)
	e.T, e.Depth = at, depth
	w.call(o.N)
	w.event(e)
}

// outcome returns the event ok, fail or info. It returns fail only if every command of the call had
// a definite reply and none changed anything.
func (w *Worker) outcome(f string, o Order, err error) history.Event {
	e := newEvent(history.OK, f, o)
	e.Err = text(err)
	switch {
	case err == nil:
	case definite(err) && !w.unsure.Load():
		e.Type = history.Fail
		if f == history.Acquire {
			e.Why = refusal(err)
		}
	default:
		e.Type = history.Info
	}
	return e
}

// definite reports whether a call with this error certainly did nothing.
func definite(err error) bool {
	var refused RefusedError
	return errors.As(err, &refused) || impls.Definite(err)
}

// refusal returns the reason of a definite error of an acquire.
func refusal(err error) history.Refusal {
	var server redis.Error
	var refused RefusedError
	switch {
	case errors.As(err, &refused):
		return refused.Why
	case err == impls.ErrHeld:
		return history.Taken
	case errors.Is(err, impls.ErrHeld) && errors.Is(err, context.Canceled):
		return history.CalledOff
	case errors.Is(err, impls.ErrHeld):
		return history.GaveUp
	case errors.As(err, &server):
		return history.ServerRefused
	}
	return history.Unreachable
}

// newEvent returns an event with the acquisition and the keys of an order.
func newEvent(t history.Type, f string, o Order) history.Event {
	e := history.Event{Type: t, F: f, N: o.N}
	if f == history.Acquire {
		e.Mode = o.Mode
	}
	if len(o.Keys) > 0 {
		e.Keys = o.Keys
	} else {
		key := o.Key // not &o.Key, which would keep the whole order
		e.Key = &key
	}
	return e
}
