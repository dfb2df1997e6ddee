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
	// Go runs f beside the caller: a watchdog, a fan-out. The context that f gets ends with ctx and
	// with the client; wait returns when f has.
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
	// Release ends the hold that g stands for. ErrNotOwner: the lock was no longer the caller's, as
	// the document's code would notice it.
	Release(ctx context.Context, g Grant) error
}

// Extender is a Lock whose lease the holder may prolong.
type Extender interface {
	// Extend asks for a whole lease from now on and returns the grant as it is then. ErrNotOwner: the
	// hold is over.
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
	Lease      time.Duration // the server keeps the lock this long from Sent on; 0: for ever
	ValidUntil time.Duration // until when the lock promises the hold; 0: it makes no promise
	Fence      int64         // fencing token; 0: none
	Value      string        // what the lock wrote to recognise itself; never used to judge
	Depth      int           // how many holds this client had already, for a re-entrant lock
}

// Notice is what a lock learns while a client holds it.
type Notice struct {
	Extended *Grant // the lease was prolonged: the hold's grant as it is now
	Lost     error  // the hold is over, and why; nil with Extended
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
	// told of extensions and losses by watchdogs, from their goroutines; nil: there is no listener
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
	AcquireTimeout time.Duration // how long one Acquire waits; 0: until ctx ends
	Variant        string        // one of Entry.Variants; "": the first
	// of locks with a watchdog: the caller names a lease of TTL, so nothing renews it
	NoWatchdog bool
	// how often one hold may be renewed or extended; 0: for ever, as documented
	MaxRenewals int
	// of Redlock: how long one node may take; 0: TTL/20, within 5 and 50 ms
	NodeTimeout time.Duration
	// replicas that must confirm a grant (WAIT), or it is given back; 0: none
	WaitReplicas int
	// how long they may take; 0: 100 ms; must be below the client's read time-out
	WaitTimeout time.Duration
}
