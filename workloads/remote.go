package workloads

import (
	"context"
	"errors"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
)

// Remote is the client of a lock in another process, such as a library in another language. The
// worker decides what the client does and when. The process does it, and reports the time. Stamps
// are in ns, by the clock of Env.Elapsed.
type Remote interface {
	// Lock returns the lock on these keys, in a mode: history.Shared, or "".
	Lock(keys []string, mode string) RemoteLock
	// Touch makes the process touch the guarded resource, and returns the stamp of that.
	Touch(n int) (at int64, err error)
	// Redirect directs the connections of the process to another node, or by the second way.
	Redirect(node string) error
	// FaultNext strikes the next command of the process with nemesis.Drop, Strand or Duplicate.
	FaultNext(what string) error
	// SetClock skews the wall clock of the process, as Env.Skew does.
	SetClock(offset time.Duration, rate float64) error
	// KeyNames returns the names of keys in Redis.
	KeyNames(keys []string) []string
}

// RemoteLock is one lock of a Remote, or of this process. N names the acquisition in every call.
// Any call may fail with ErrGone.
type RemoteLock interface {
	// Acquire works like impls.Lock's. When ctx ends, it asks the process to end its wait, if it can.
	Acquire(ctx context.Context, n int) (Granted, error)
	// Release calls begun with the stamp at which the process acts; until then its client is inside.
	// It returns the stamp of the end.
	Release(ctx context.Context, n int, g Granted, begun func(at int64)) (at int64, err error)
}

// Extender is a RemoteLock whose holder can prolong its lease.
type Extender interface {
	// Extend asks for a whole lease from now on. It calls begun as Release does. The grant has the
	// stamp of the end, also after an error.
	Extend(ctx context.Context, n int, g Granted, begun func(at int64)) (Granted, error)
}

// Guard is a RemoteLock that keeps the guarded number itself. If it is optimistic, it lets all
// clients in, and reports for each write whether another client was first. If its hold is a
// transaction, a write also ends the hold.
type Guard interface {
	// Read returns the guarded number, and Write replaces it. After ErrConflict, the number was
	// certainly not replaced; after any other error it may have been. Both call begun with the stamp
	// at which the process acts.
	Read(n int, begun func(at int64)) (value, at int64, err error)
	Write(n int, value int64, begun func(at int64)) (at int64, err error)
}

// ErrConflict is the error of a write that surely changed nothing: another client was first.
var ErrConflict = errors.New("another client has written since the read")

// ErrGone reports that the process of a Remote has ended before it answered. The history has only
// the start of such a call.
var ErrGone = errors.New("the process is gone")

// RefusedError reports that a process has certainly refused an acquire, and why.
type RefusedError struct{ Why history.Refusal }

func (e RefusedError) Error() string {
	if e.Why == history.Taken {
		return impls.ErrHeld.Error()
	}
	return string(e.Why)
}

// Is reports whether the target is impls.ErrHeld and another client has the lock.
func (e RefusedError) Is(target error) bool { return target == impls.ErrHeld && e.Why.Denied() }

// Granted is a grant as the history records it.
type Granted struct {
	impls.Grant
	Node string // the Redis that granted it; "" if several did or it is unknown
	At   int64  // stamp of the end of the call, even if it failed; 0 means now
}

func (g Granted) record() *history.Grant {
	return &history.Grant{Sent: int64(g.Sent), Lease: history.Duration(g.Lease),
		ValidUntil: int64(g.ValidUntil), Token: g.Fence, Node: g.Node}
}

// stamped converts the times of a grant to stamps. A lock in this process takes them from the
// client's monotonic clock, and Stand sets that clock back.
func (w *Worker) stamped(g Granted) Granted {
	if w.remote == nil && g.Sent != 0 {
		g.Sent, g.ValidUntil = w.env.stampOf(g.Sent), w.env.stampOf(g.ValidUntil)
	}
	return g
}

// NewBridge builds the client of a lock in another process. It calls out for each report, never
// concurrently. The client ends with life. It reports nothing before its first cycle; its caller
// reports when the process is ready.
func NewBridge(life context.Context, cfg Config, env *Env, remote Remote,
	out func(Report)) *Worker {
	w := newWorker(life, cfg, env, out)
	w.setRemote(remote)
	return w
}

// RecordLost records that the process of a Remote learned that its hold n is over, and by what. Any
// goroutine may call it.
func (w *Worker) RecordLost(n int, at int64, by string) {
	o := w.hold.Load()
	if o == nil {
		return
	}
	e := newEvent(history.Lost, "", *o)
	e.T, e.N, e.Err = at, n, by
	w.event(e)
	w.endHold(n)
}

// Extended records that the lease of hold n of a Remote was prolonged. Any goroutine may call it.
func (w *Worker) Extended(n int, g Granted) {
	o := w.hold.Load()
	if o == nil {
		return
	}
	e := newEvent(history.Extend, "", *o)
	e.N, e.Grant = n, g.record()
	w.event(e)
}
