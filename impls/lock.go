// Package impls holds the locks: one file per algorithm, as the source documents show it, and the
// small port through which a lock reaches anything but Redis. The same code runs against real Redis
// and in the simulator, so a lock may not start goroutines, read clocks, draw random numbers or
// open connections by itself (a test reads the source).
package impls

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Env is what a lock may know of the environment besides Redis. One Env belongs to one client; it
// is safe for concurrent use.
type Env interface {
	// Now is this client's wall clock. A fault may skew it; it carries no monotonic reading.
	Now() time.Time
	// Elapsed is this client's monotonic clock. It never jumps. All stamps of a history are readings
	// of it.
	Elapsed() time.Duration
	// Sleep returns nil after d, or the context's error as soon as it ends.
	Sleep(ctx context.Context, d time.Duration) error
	// Go runs f in the background, such as a watchdog or a fan-out. The context of f ends with ctx and
	// with the client. The returned wait blocks until f has returned.
	Go(ctx context.Context, f func(context.Context)) (wait func())
	// Token returns a fresh owner value, as random as the document wants it.
	Token() string
	// Rand returns a number in [0, n) from the client's own seeded stream, for jitter.
	Rand(n int64) int64
}

// Lock is one lock as one client sees it. A client uses it from one goroutine.
type Lock interface {
	// Acquire is one call as a user makes it: it waits and retries inside until it is granted, its
	// time-out is over (ErrHeld) or ctx ends. An error that is not definite (see Definite) means that
	// it is unknown whether the server granted it; the caller must not enter.
	Acquire(ctx context.Context) (Grant, error)
	// Release ends the hold of g. It returns ErrNotOwner if the lock was no longer the caller's, as
	// far as the document's code notices it.
	Release(ctx context.Context, g Grant) error
}

// Extender is a Lock whose lease the holder may prolong.
type Extender interface {
	// Extend asks for a whole lease from now on and returns the new grant. It returns ErrNotOwner if
	// the hold is over.
	Extend(ctx context.Context, g Grant) (Grant, error)
}

// Finalizer is a Lock whose document releases in a finally block, whether or not Acquire granted.
type Finalizer interface {
	// Finally is called once after each Acquire that returned an error, in place of Release.
	Finally(ctx context.Context) error
}

// Grant is what the lock itself promises about one hold. Zero fields promise nothing. Times are
// readings of Env.Elapsed.
type Grant struct {
	Sent       time.Duration // the granting command of the successful attempt was about to be sent
	Lease      time.Duration // how long the server keeps the lock, from Sent on; zero means for ever
	ValidUntil time.Duration // the end of the hold that the lock promises, if any
	Fence      int64         // the fencing token, if any
	Value      string        // the owner value that the lock wrote; never used to judge
	Depth      int           // of a re-entrant lock: the number of holds this client had already
}

// Notice is what a lock learns while a client holds it.
type Notice struct {
	Extended *Grant // the new grant, if the lease was prolonged
	Lost     error  // the reason why the hold is over; nil with Extended
}

var (
	// ErrHeld says that another client holds the lock and the time for waiting is over. It is
	// definite: nothing was acquired.
	ErrHeld = errors.New("held by another client")
	// ErrNotOwner says that the lock is not, or no longer, the caller's. It is definite: nothing was
	// released or extended.
	ErrNotOwner = errors.New("not the owner")
)

// Setup is what a lock is made from.
type Setup struct {
	Env     Env
	Redis   []redis.UniversalClient // one for each independent Redis: five for Redlock, one otherwise
	Keys    []string                // one key, or all that a multi-lock takes at once
	Options Options
	// if not nil, watchdogs call it from their goroutines with extensions and losses
	Notify func(Notice)

	acks *int // how many replicas confirmed the last granting command; see send
}

// Client returns the only Redis of a lock that uses one.
func (s Setup) Client() redis.UniversalClient { return s.Redis[0] }

// Key returns the only key of a lock that uses one.
func (s Setup) Key() string { return s.Keys[0] }

// Options are the knobs common to all locks. Entry.Defaults has the default of each.
type Options struct {
	TTL            time.Duration // lease; ignored by locks without one
	Poll           time.Duration // pause between attempts
	AcquireTimeout time.Duration // how long one Acquire waits; if zero, until ctx ends
	Variant        string        // one of Entry.Variants; if empty, the first one
	// for locks with a watchdog: the caller names a lease of TTL, so nothing renews it
	NoWatchdog bool
	Settings
}
