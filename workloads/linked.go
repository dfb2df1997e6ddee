package workloads

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
)

// LinkedLock is another author's lock that runs in this process, in the simulator. It replaces the
// process of a Remote. N is the number of the acquisition. After an error other than a RefusedError
// or impls.ErrNotOwner, the effect of the call is unknown.
type LinkedLock interface {
	// Acquire waits for so long. It may end sooner, and must soon after ctx does.
	Acquire(ctx context.Context, n int, keys []string, wait time.Duration) (Said, error)
	Release(ctx context.Context, n int) error
	// Close is called when the client has ended, also by a kill: no goroutine may be left.
	Close()
}

// Said is what a lock says of a hold; zero fields say nothing.
type Said struct {
	ValidUntil time.Time
	Token      int64
}

// LinkedClient is what a linked lock is told of its client. What is zero is left to it.
type LinkedClient struct {
	Config
	Servers int // independent ones; the addresses of Address are theirs
	// Life ends with the client, also when it is killed. Goroutines of the lock must end with it.
	Life context.Context
	Env  *Env
	// Dial connects to an address out of Address. It must be the only way to Redis.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Lost says that the lock told its holder that the hold n is over, and by what.
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
	// of a grant whose command names none; 0 if there is none
	Lease time.Duration
}

// links are the linked locks, by the name that Config.Impl has.
var links sync.Map

// Link makes a lock known by a name that no lock of the table has. What had the name before is
// forgotten.
func Link(name string, to Linkage) { links.Store(name, to) }

// IsLinked reports whether a lock with this name is linked into the program.
func IsLinked(name string) bool {
	_, ok := links.Load(name)
	return ok
}

// linked is a linked lock of one client. It is a Remote, and its own RemoteLock for each set of
// keys.
type linked struct {
	w *Worker
	Linkage
	lock   LinkedLock
	routes []*route
	grants Grants
	held   atomic.Int64           // the acquisition that the client has; 0: none
	fault  atomic.Pointer[string] // strikes the next command, or nil
}

// newLinked builds a client whose lock is linked into the program.
func newLinked(life context.Context, cfg Config, env *Env, dial Dial, to Linkage,
	out func(Report)) *Worker {
	w := newWorker(life, cfg, env, out)
	l := &linked{w: w, Linkage: to, grants: Grants{Scripts: new(Scripts), Lease: to.Lease,
		Masters: len(cfg.Nodes)}}
	w.setRemote(l)
	for i, nodes := range cfg.Nodes {
		var spares map[string]string
		if i < len(cfg.Spares) {
			spares = cfg.Spares[i]
		}
		r := newRoute(dial, nodes, spares, cfg.Master)
		r.begin = w.connecting
		l.routes = append(l.routes, r)
	}
	return w
}

// connect makes the lock, in the goroutine of its client.
func (l *linked) connect() (err error) {
	c := LinkedClient{Config: l.w.cfg, Servers: len(l.routes), Life: l.w.lifetime.life, Env: l.w.env}
	c.Lost = func(n int, by string) { l.w.Lost(n, 0, by) }
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

// Lock is Remote. No linked lock declares a shared mode.
func (l *linked) Lock(keys []string, _ string) RemoteLock { return linkedKeys{l, keys} }

// Touch is Remote.
func (l *linked) Touch(int) (int64, error) { return 0, nil }

// Redirect is Remote.
func (l *linked) Redirect(node string) error { return redirect(l.routes, node) }

// Befall is Remote.
func (l *linked) Befall(what string) error {
	l.fault.Store(&what)
	return nil
}

// SetClock is Remote.
func (l *linked) SetClock(time.Duration, float64) error {
	return errors.New("the wall clock of code that calls time.Now cannot be moved in the simulator")
}

// KeyNames is Remote.
func (l *linked) KeyNames(keys []string) []string {
	names := slices.Clone(keys)
	for i, k := range keys {
		if l.Key != nil {
			names[i] = l.Key(k)
		}
	}
	return names
}

func (l *linked) close() {
	if l.lock != nil {
		l.lock.Close()
	}
}

// replied is told of the end of each command: it may be the grant, or prolong it.
func (l *linked) replied(sent, done history.Command) {
	n := l.held.Load()
	if n == 0 {
		l.grants.See(sent, done)
		return
	}
	if g, ok := l.grants.Prolongs(sent, done); ok {
		l.w.Extended(int(n), g)
	}
}

// linkedKeys is the lock on some keys.
type linkedKeys struct {
	*linked
	keys []string
}

// Acquire is RemoteLock.
func (l linkedKeys) Acquire(ctx context.Context, n int) (g Granted, err error) {
	l.grants.Expect(l.KeyNames(l.keys))
	begun := l.w.env.Elapsed()
	said, err := l.lock.Acquire(ctx, n, l.keys, l.w.cfg.AcquireTimeout.D())
	l.w.env.breathe()
	if err != nil {
		return g, opaque(err)
	}
	g.Sent, g.Lease = begun, l.Lease
	l.grants.Fill(&g)
	if g.Fence = said.Token; !said.ValidUntil.IsZero() {
		g.ValidUntil = l.w.env.Elapsed() + time.Until(said.ValidUntil)
	}
	l.held.CompareAndSwap(0, int64(n))
	return g, nil
}

// Release is RemoteLock.
func (l linkedKeys) Release(ctx context.Context, n int, _ Granted, begun func(int64)) (int64,
	error) {
	l.held.CompareAndSwap(int64(n), 0)
	begun(0)
	err := l.lock.Release(ctx, n)
	l.w.env.breathe()
	return 0, opaque(err)
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
