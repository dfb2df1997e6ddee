// Package stepped runs the locks of adapters in the simulator: an adapter's program, unchanged and
// in any language, in virtual time (shim/step.c).
package stepped

import (
	"context"
	"fmt"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/foreign/adapter"
	"github.com/lockbench/lockbench/internal/foreign/linked"
	"github.com/lockbench/lockbench/workloads"
)

// Opener opens the locks of an adapter.
type Opener struct {
	Adapter adapters.Installed
	Options map[string]adapters.Option // of the variant
	shim    string
}

// Program returns the adapter as one that the simulator runs. It compiles the shim, unless it is
// there.
func Program(in adapters.Installed) (*linked.Adapter, error) {
	shim, err := shim()
	return &linked.Adapter{Hash: in.Hash, Program: true,
		Open: func(options map[string]adapters.Option, _ time.Duration) workloads.OpenLinked {
			return Opener{in, options, shim}.Open
		}}, err
}

// Open implements workloads.OpenLinked. It starts the program of a client.
func (o Opener) Open(c workloads.LinkedClient) (workloads.LinkedLock, error) {
	p, err := start(o.Adapter.Command(), o.shim, c.Seed, c.Servers)
	if err != nil {
		return nil, o.wrong(err)
	}
	l := &lock{Opener: o, pump: newPump(p, c)}
	l.running.Go(l.run)
	first := adapter.FirstOrder(c.Config, o.Options)
	for i := range c.Servers {
		first.Redis = append(first.Redis, c.Address(i))
	}
	if err := l.tell(first); err != nil {
		return nil, err
	}
	if _, err := l.await(l.ready); err != nil {
		l.Close()
		return nil, o.wrong(err)
	}
	// what the library does after it has connected is over when the run begins
	return l, c.Env.Sleep(c.Life, calm)
}

// calm is how long a client stays alone after its program has connected.
const calm = 500 * time.Millisecond

func (o Opener) wrong(err error) error {
	return fmt.Errorf("the adapter %s in virtual time: %w", o.Adapter.Name, err)
}

// lock is the lock of one client.
type lock struct {
	Opener
	*pump
}

// Acquire implements workloads.LinkedLock.
func (l *lock) Acquire(ctx context.Context, n int, keys []string, wait time.Duration) (
	said workloads.Said, err error) {
	stop := context.AfterFunc(ctx, func() { _ = l.tell(adapter.Stop) })
	defer stop()
	a, err := l.call(adapter.Acquire(n, keys, wait))
	if err != nil {
		return said, l.wrong(err)
	}
	if err := adapter.Failure(a); err != nil {
		return said, err
	}
	if said.Token = a.Token; a.ValidUntil > 0 {
		mono, _ := l.now()
		said.ValidUntil = time.Now().Add(time.Duration(a.ValidUntil - mono))
	}
	return said, nil
}

// Release implements workloads.LinkedLock.
func (l *lock) Release(_ context.Context, n int) error {
	a, err := l.call(adapter.Release(n))
	if err != nil {
		return l.wrong(err)
	}
	return adapter.Failure(a)
}

// Close implements workloads.LinkedLock.
func (l *lock) Close() {
	l.end()
	l.running.Wait()
}
