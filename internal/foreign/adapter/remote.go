package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/impls"
	program "github.com/lockbench/lockbench/internal/env/cluster/worker"
	"github.com/lockbench/lockbench/internal/foreign/tap"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// remote is the bridge's view of the adapter's process. It is a workloads.Remote.
type remote struct {
	child  *child
	clock  *clientClock // nil if its clock is not moved
	tap    *tap.Tap     // nil if it connects to its links directly
	direct bool
	guards bool // it reads and writes the guarded number by itself
	bridge *workloads.Worker
	cfg    workloads.Config
	*workloads.Grants
}

// connect makes the tap in front of the client's links, and returns the config for the process.
func (r *remote) connect(options map[string]adapters.Option) (Config, error) {
	if !r.direct {
		r.tap = tap.New(observer{r}, tap.Settings{Dial: program.Dialer(0, r.cfg.Secret),
			Timeout: r.cfg.ClientTimeout.D(), Script: r.Scripts.Learn})
	}
	return r.listen(options)
}

// listen opens an address on the tap for each way of the client, and returns the config with these.
func (r *remote) listen(options map[string]adapters.Option) (c Config, err error) {
	c = FirstOrder(r.cfg, options)
	if r.direct {
		for _, nodes := range r.cfg.Nodes {
			for _, name := range slices.Sorted(maps.Keys(nodes)) {
				c.Servers = append(c.Servers, nodes[name])
			}
		}
		return c, nil
	}
	if len(r.cfg.Sentinels) > 0 {
		c.Master = workloads.MasterName
		c.Sentinels, err = r.sentinels()
		return c, err
	}
	for i, nodes := range r.cfg.Nodes {
		ways := tap.Ways{Nodes: nodes, First: r.cfg.Master}
		if i < len(r.cfg.Spares) {
			ways.Spares = r.cfg.Spares[i]
		}
		addr, err := r.tap.Listen(ways)
		if err != nil {
			return c, err
		}
		c.Redis = append(c.Redis, addr)
	}
	return c, nil
}

// sentinels opens an address on the tap for each server and each sentinel. The sentinels tell the
// client the master and each other, and the tap replaces their addresses with the client's ways.
func (r *remote) sentinels() (addrs []string, err error) {
	for node, addr := range r.cfg.Nodes[0] {
		here, err := r.tap.Listen(tap.Ways{Nodes: map[string]string{node: addr}, First: node})
		if err != nil {
			return nil, err
		}
		for public, name := range r.cfg.Announced {
			if name == node {
				r.tap.Announce(public, here)
			}
		}
	}
	for i, s := range r.cfg.Sentinels {
		here, err := r.tap.Sentinel(s)
		if err != nil {
			return nil, err
		}
		if i < len(r.cfg.Peers) {
			r.tap.Announce(r.cfg.Peers[i], here)
		}
		addrs = append(addrs, here)
	}
	return addrs, nil
}

// Lock and Touch implement workloads.Remote.
func (r *remote) Lock(keys []string, mode string) workloads.RemoteLock {
	l := lock{r, keys, cmp.Or(mode, exclusive)}
	if r.guards {
		return guard{l}
	}
	return l
}

func (r *remote) Touch(n int) (int64, error) {
	k, err := r.child.begin(Order{Do: doTouch, N: n})
	if err != nil {
		return 0, err
	}
	a, err := r.child.answered(k)
	return a.T, err
}

// Redirect implements workloads.Remote. A client without a tap finds the other server by itself.
func (r *remote) Redirect(node string) error {
	if r.direct {
		return nil
	}
	if node == nemesis.Spare {
		return r.tap.Spare()
	}
	return r.tap.Redirect(node)
}

// FaultNext and SetClock implement workloads.Remote.
func (r *remote) FaultNext(what string) error {
	if r.direct {
		return errors.New("its commands are not seen")
	}
	r.tap.FaultNext(what)
	return nil
}

func (r *remote) SetClock(offset time.Duration, rate float64) error {
	if r.clock == nil {
		return errors.New("its wall clock cannot be moved")
	}
	return r.clock.set(context.Background(), offset, rate)
}

// lock is the lock on some keys. It is a workloads.RemoteLock.
type lock struct {
	*remote
	keys []string
	mode string
}

// Acquire implements workloads.RemoteLock.
func (l lock) Acquire(ctx context.Context, n int) (g workloads.Granted, err error) {
	wait := l.cfg.AcquireTimeout.D().Milliseconds()
	l.Expect(l.keys)
	k, err := l.child.begin(Order{Do: doAcquire, N: n, Keys: l.keys, Wait: &wait, Mode: l.mode})
	if err != nil {
		return g, err
	}
	defer l.interrupts(ctx, n)()
	begun, err := l.child.acts(k)
	if err != nil {
		return g, err
	}
	a, err := l.child.answered(k)
	if err != nil {
		return g, err
	}
	g.At = a.T
	if err := Failure(a); err != nil {
		return g, err
	}
	g.Sent, g.Lease, g.Node = l.sent(begun, a), l.Lease, ""
	l.Fill(&g)
	g.ValidUntil, g.Fence = time.Duration(a.ValidUntil), a.Token
	l.Begin(n)
	return g, nil
}

// interrupts tells the process when the context of call n ends, until stop.
func (r *remote) interrupts(ctx context.Context, n int) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = r.child.order(Interrupt(ctx, n)) })
}

// sent returns when the command of a grant was about to leave, as far as it is known without the
// tap: the adapter says it, and a lease began in the call otherwise. For that sent returns 0: the
// call may have waited for long before. Without a lease it is the beginning of the call.
func (l lock) sent(begun int64, a Answer) time.Duration {
	if l.Lease == 0 && a.Sent == 0 {
		return time.Duration(begun)
	}
	return time.Duration(a.Sent)
}

// Release implements workloads.RemoteLock.
func (l lock) Release(ctx context.Context, n int, _ workloads.Granted,
	begun func(int64)) (int64, error) {
	defer l.interrupts(ctx, n)()
	l.End(n)
	a, err := l.do(Order{Do: doRelease, N: n}, begun)
	return a.T, err
}

// Extend implements workloads.Extender.
func (l lock) Extend(ctx context.Context, n int, g workloads.Granted, begun func(int64)) (
	workloads.Granted, error) {
	defer l.interrupts(ctx, n)()
	sent := int64(0)
	a, err := l.do(Extend(n), func(at int64) {
		sent = at
		begun(at)
	})
	if g.At = a.T; err == nil {
		g.Sent, g.ValidUntil = time.Duration(sent), time.Duration(a.ValidUntil)
	}
	return g, err
}

// guard is the lock on some keys, with checked writes. It is a workloads.Guard.
type guard struct{ lock }

// Read and Write implement workloads.Guard.
func (g guard) Read(n int, begun func(int64)) (value, at int64, err error) {
	a, err := g.do(Order{Do: doRead, N: n}, begun)
	return a.Value, a.T, err
}

func (g guard) Write(n int, value int64, begun func(int64)) (at int64, err error) {
	a, err := g.do(Order{Do: doWrite, N: n, Value: &value}, begun)
	return a.T, err
}

// do orders an operation, calls begun when the process acts on it, and waits for its end.
func (r *remote) do(o Order, begun func(int64)) (Answer, error) {
	k, err := r.child.begin(o)
	if err != nil {
		return Answer{}, err
	}
	at, err := r.child.acts(k)
	if err != nil {
		return Answer{}, err
	}
	begun(at)
	a, err := r.child.answered(k)
	if err != nil {
		return a, err
	}
	return a, Failure(a)
}

// Failure returns the error that an answer reports, or nil.
func Failure(a Answer) error {
	switch a.Is {
	case isRefused:
		return workloads.RefusedError{Why: refusal(a.Why)}
	case isNotOwner:
		return fmt.Errorf("%w (%s)", impls.ErrNotOwner, a.Err)
	case isConflict:
		return workloads.ErrConflict
	case isFailed:
		return errors.New(a.Err)
	}
	return nil
}

func refusal(why string) history.Refusal {
	switch why {
	case whyGaveUp:
		return history.GaveUp
	case whyUnreachable:
		return history.Unreachable
	case whyServerRefused:
		return history.ServerRefused
	case whyCancelled:
		return history.CalledOff
	}
	return history.Taken
}

// observer passes the commands from the tap to the bridge, as if the bridge had sent them.
type observer struct{ *remote }

// BeforeSend, Sent and Replied implement tap.Observer.
func (o observer) BeforeSend(ctx context.Context, node string, args []string) {
	o.bridge.BeforeSend(ctx, node, args)
}

func (o observer) Sent(ctx context.Context, node string, args []string) history.Command {
	c := o.bridge.Sent(ctx, node, args)
	c.Node, c.Args = node, slices.Clone(args)
	return c
}

func (o observer) Replied(ctx context.Context, sent history.Command, r tap.Reply) {
	done := history.Command{Node: sent.Node, Reply: r.Text, Err: r.Err, Why: r.Why}
	o.Grants.Replied(o.bridge, sent, done)
	o.bridge.Replied(ctx, sent, done, r.Err != "")
}
