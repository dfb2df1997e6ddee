package workloads

import (
	"context"
	"errors"
	"sync/atomic"
)

// lifetime says how long a client lives, waits for locks, and stays inside.
type lifetime struct {
	life        context.Context
	waiting     context.Context // ends when the client is to wait no more; holds run to their end
	stopWaiting context.CancelFunc
	holding     context.Context // ends when holds are to end as well
	stopHolding context.CancelFunc
	leave       atomic.Pointer[context.CancelFunc]      // ends the present hold, or the last one
	heed        atomic.Pointer[heeding]                 // nil unless the client listens to its lock
	giveUp      atomic.Pointer[context.CancelCauseFunc] // gives up the present call, or the last one
}

// heeding is a hold whose client leaves when the lock says that the hold is over.
type heeding struct {
	n     int
	leave context.CancelFunc
}

func newLifetime(life context.Context) *lifetime {
	l := &lifetime{life: life}
	l.waiting, l.stopWaiting = context.WithCancel(life)
	l.holding, l.stopHolding = context.WithCancel(life)
	return l
}

// bounds returns two contexts for the client of a cycle: one bounds its waits at breakpoints, the
// other its stay inside. If the client heeds its lock, both end when the lock says that the hold is
// over.
func (l *lifetime) bounds(o Order) (stand, stay context.Context, done context.CancelFunc) {
	if o.Body != Heed {
		return l.life, l.holding, func() {}
	}
	ctx, leave := context.WithCancel(l.holding)
	l.heed.Store(&heeding{o.N, leave})
	return ctx, ctx, leave
}

// endHold ends hold n, if its client heeds its lock.
func (l *lifetime) endHold(n int) {
	if h := l.heed.Load(); h != nil && h.n == n {
		h.leave()
	}
}

// ErrCancelled is the cause of a call's context that ends because its client gives up the call.
var ErrCancelled = errors.New("the client gave up the call")

// startCall returns a context for a call, which cancelCall ends.
func (l *lifetime) startCall(until context.Context) (call context.Context, end func()) {
	call, cancel := context.WithCancelCause(until)
	l.giveUp.Store(&cancel)
	return call, func() { cancel(nil) }
}

// cancelCall gives up the present call, if there is one.
func (l *lifetime) cancelCall() {
	if cancel := l.giveUp.Load(); cancel != nil {
		(*cancel)(ErrCancelled)
	}
}

// enter returns a context for a hold, which DoLeave ends.
func (l *lifetime) enter(until context.Context) (context.Context, context.CancelFunc) {
	stay, leave := context.WithCancel(until)
	l.leave.Store(&leave)
	return stay, leave
}

// exit ends the present hold, if there is one.
func (l *lifetime) exit() {
	if leave := l.leave.Load(); leave != nil {
		(*leave)()
	}
}
