package workloads

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/impls"
)

// LinkedLock is another author's lock that runs in this process, in the simulator. It replaces the
// process of a Remote. N is the number of the acquisition. After an error other than a RefusedError
// or impls.ErrNotOwner, the effect of the call is unknown.
type LinkedLock interface {
	// Acquire waits for at most wait. It may return sooner, and must do so soon after ctx ends.
	Acquire(ctx context.Context, n int, keys []string, wait time.Duration) (Said, error)
	Release(ctx context.Context, n int) error
	// Close is called when the client has ended or was killed. It must leave no goroutine.
	Close()
}

// LinkedExtender is a LinkedLock whose holder can prolong its lease.
type LinkedExtender interface {
	Extend(ctx context.Context, n int) (Said, error)
}

// Said is what a lock reports about a hold. Zero fields report nothing.
type Said struct {
	ValidUntil time.Time
	Token      int64
}

// LinkedClient is the part of a client that its linked lock knows. A zero field leaves the choice
// to the lock.
type LinkedClient struct {
	Config
	Servers int // number of independent servers, with the addresses of Address
	// Life ends with the client, even if it is killed. The lock's goroutines must end with it.
	Life context.Context
	Env  *Env
	// Dial connects to an address from Address. The lock must reach Redis only in this way.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Broke ends the run: the lock can do nothing more, and that is not its fault.
	Broke func(error)
	// Lost records that the lock told its holder that hold n is over, and by what.
	Lost func(n int, by string)
}

// Address returns the address of a server, by number. It is a literal, so that no client resolves a
// name.
func (c LinkedClient) Address(server int) string { return fmt.Sprintf("127.0.0.1:%d", 6379+server) }

// OpenLinked makes the lock of one client. It may connect; it must not change a key.
type OpenLinked func(LinkedClient) (LinkedLock, error)

// Linkage is how a lock is linked into the program.
type Linkage struct {
	Open OpenLinked
	Key  func(name string) string // returns the Redis key for a name; nil keeps the name
	// of a grant whose command names none, unless the run tells the lock another; 0 if there is none
	Lease time.Duration
	// the lock is a program of its own, and its start takes as many commands as it likes
	Program bool
}

// links maps each name in Config.Impl to its linked lock.
var links sync.Map

// Link registers a lock under a name that the table of locks does not have. It replaces an earlier
// lock with that name.
func Link(name string, to Linkage) { links.Store(name, to) }

// IsLinked reports whether a lock with this name is linked into the program.
func IsLinked(name string) bool {
	_, ok := links.Load(name)
	return ok
}

// IsProgram reports whether a linked lock with this name is a program of its own.
func IsProgram(name string) bool {
	to, ok := links.Load(name)
	return ok && to.(Linkage).Program
}

// linked is a linked lock of one client. It is a Remote, and its own RemoteLock for each set of
// keys.
type linked struct {
	w *Worker
	Linkage
	lock   LinkedLock
	routes []*route
	*Grants
	fault atomic.Pointer[string] // strikes the next command, or nil
}

// newLinked builds a client whose lock is linked into the program.
func newLinked(life context.Context, cfg Config, env *Env, dial Dial, to Linkage,
	out func(Report)) *Worker {
	w := newWorker(life, cfg, env, out)
	// it was linked for several runs, and each has a lease of its own
	l := &linked{w: w, Linkage: to, Grants: NewGrants(cfg, to.Lease, to.Key, new(Scripts))}
	w.setRemote(l)
	l.routes = w.routesTo(dial)
	return w
}

// connect opens the lock, in the goroutine of its client.
func (l *linked) connect() (err error) {
	c := LinkedClient{Config: l.w.cfg, Servers: len(l.routes), Life: l.w.lifetime.life, Env: l.w.env}
	c.Broke = func(err error) { l.w.report(Report{Failed: err.Error()}) }
	c.Lost = func(n int, by string) { l.w.RecordLost(n, 0, by) }
	c.Dial = func(ctx context.Context, _, address string) (net.Conn, error) {
		for i, r := range l.routes {
			if c.Address(i) == address {
				return l.dial(ctx, i, r)
			}
		}
		return nil, fmt.Errorf("this run has no server %s; %s is the first", address, c.Address(0))
	}
	l.lock, err = l.Open(c)
	return err
}

// Lock implements Remote. No linked lock declares a shared mode.
func (l *linked) Lock(keys []string, _ string) RemoteLock { return linkedKeys{l, keys} }

// Touch, Redirect, FaultNext and SetClock implement Remote.
func (l *linked) Touch(int) (int64, error)   { return 0, nil }
func (l *linked) Redirect(node string) error { return redirect(l.routes, node) }

func (l *linked) FaultNext(what string) error {
	l.fault.Store(&what)
	return nil
}

func (l *linked) SetClock(offset time.Duration, rate float64) error {
	if l.Program {
		l.w.env.Skew(offset, rate)
		return nil
	}
	return errors.New("the wall clock of code that calls time.Now cannot be moved in the simulator")
}

func (l *linked) close() {
	if l.lock != nil {
		l.lock.Close()
	}
}

// linkedKeys is the lock on some keys.
type linkedKeys struct {
	*linked
	keys []string
}

// Acquire and Release implement RemoteLock.
func (l linkedKeys) Acquire(ctx context.Context, n int) (g Granted, err error) {
	l.Expect(l.keys)
	begun := l.w.env.Stamp()
	said, err := l.lock.Acquire(ctx, n, l.keys, l.w.cfg.AcquireTimeout.D())
	l.w.env.Breathe()
	if err != nil {
		return g, opaque(err)
	}
	g.Sent, g.Lease = begun, l.Grants.Lease
	l.Fill(&g)
	g.Fence, g.ValidUntil = said.Token, l.validUntil(said)
	l.Begin(n)
	return g, nil
}

func (l linkedKeys) Release(ctx context.Context, n int, _ Granted, begun func(int64)) (int64,
	error) {
	l.End(n)
	begun(0)
	err := l.lock.Release(ctx, n)
	l.w.env.Breathe()
	return 0, opaque(err)
}

// Extend implements Extender.
func (l linkedKeys) Extend(ctx context.Context, n int, g Granted, begun func(int64)) (Granted,
	error) {
	begun(0)
	e, can := l.lock.(LinkedExtender)
	if !can {
		return g, errCannotExtend
	}
	at := l.w.env.Stamp()
	said, err := e.Extend(ctx, n)
	l.w.env.Breathe()
	if err == nil {
		g.Sent = at
		g.ValidUntil = l.validUntil(said)
	}
	return g, opaque(err)
}

// validUntil returns the end of the validity that a lock reports, or 0.
func (l *linked) validUntil(said Said) time.Duration {
	if said.ValidUntil.IsZero() {
		return 0
	}
	return l.w.env.Stamp() + time.Until(said.ValidUntil)
}

// opaque hides the causes in an error of another author's lock, unless the error states the
// outcome. A refused last command does not show the effect of the commands before it.
func opaque(err error) error {
	var refused RefusedError
	if err == nil || errors.As(err, &refused) || errors.Is(err, impls.ErrNotOwner) {
		return err
	}
	return errors.New(err.Error())
}
