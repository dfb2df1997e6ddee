//go:build linux

// Package stepped runs the locks of adapters in the simulator: an adapter's program, unchanged and
// in any language, in virtual time (shim/step.c).
package stepped

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/preload"
	"github.com/lockbench/lockbench/internal/foreign/adapter"
	"github.com/lockbench/lockbench/internal/foreign/linked"
	"github.com/lockbench/lockbench/workloads"
)

//go:embed shim/step.c
var source []byte

// Opener opens the locks of an adapter.
type Opener struct {
	Adapter adapters.Installed
	Options map[string]adapters.Option // of the variant
	shim    string
}

// Program returns the adapter as one that the simulator runs. It compiles the shim, unless it is
// there.
func Program(in adapters.Installed) (*linked.Adapter, error) {
	shim, err := preload.Library("step", source, "a program in virtual time")
	return &linked.Adapter{Hash: in.Hash, Program: true,
		Open: func(options map[string]adapters.Option, _ time.Duration) workloads.OpenLinked {
			return Opener{in, options, shim}.Open
		}}, err
}

// Open implements workloads.OpenLinked. It takes a program that has served a client in the same way
// and has nothing left to do, or starts one.
func (o Opener) Open(c workloads.LinkedClient) (workloads.LinkedLock, error) {
	first := adapter.FirstOrder(c.Config, o.Options)
	for i := range c.Servers {
		first.Redis = append(first.Redis, fmt.Sprintf("127.0.0.1:%d", firstPort+i))
	}
	same := first
	same.Seed = 0
	key, err := json.Marshal(same)
	if err != nil {
		return nil, err
	}
	l := &lock{Opener: o, config: o.Adapter.Hash + string(key), of: c.Run}
	processor := processors().take(l.of)
	if !c.Fresh && l.resume(idle.take(l.config), c, processor) {
		return l, nil
	}
	if err := l.start(first, c, processor); err != nil {
		processors().leave(l.of)
		return nil, o.wrong(err)
	}
	// what the library does after it has connected is over when the run begins
	return l, c.Env.Sleep(c.Life, calm)
}

func (l *lock) start(first adapter.Config, c workloads.LinkedClient, processor int) error {
	p, err := start(l.Adapter.Command(), l.shim, seedOf(c), c.Servers, processor)
	if err != nil {
		return err
	}
	l.pump = newPump(p, c, l.wrong)
	if err := l.configure(first); err != nil {
		l.discard()
		return err
	}
	return nil
}

// seedOf returns the seed of a client's random numbers. The plain seeds of two clients differ by
// one, and so do the seeds of two runs; but a program may serve a client of another run.
func seedOf(c workloads.LinkedClient) uint64 {
	return rand.NewPCG(c.Seed, uint64(c.Process)).Uint64()
}

// resume makes a program that has served a client serve another, and reports whether it can. Calls
// that were under way end first, and holds are released: no one else has the lock now.
func (l *lock) resume(p *program, c workloads.LinkedClient, processor int) bool {
	if p == nil {
		return false
	}
	p.restart(seedOf(c), processor)
	l.pump = newPump(p, c, l.wrong)
	begun := map[int]chan adapter.Answer{}
	for _, n := range p.begun {
		begun[n] = l.expect(n)
	}
	for i, s := range p.sockets {
		l.open(s, time.Duration(i+1)*turn)
	}
	l.resumes.Store(true)
	l.running.Go(l.run)
	limited, cancel := context.WithTimeout(c.Life, calm)
	defer cancel()
	err := l.finish(limited, begun)
	<-limited.Done()
	l.resumes.Store(false)
	if err != nil || l.life.Err() != nil || !l.isWhole() {
		l.discard()
		return false
	}
	return true
}

// finish ends what the program has begun for another client.
func (l *lock) finish(ctx context.Context, begun map[int]chan adapter.Answer) error {
	if len(begun) > 0 {
		_ = l.tell(adapter.Stop)
	}
	held := l.held
	for _, n := range l.begun {
		a, err := l.await(ctx, begun[n])
		if err != nil {
			return err
		}
		if a.Is == acquired {
			held = append(held, n)
		}
	}
	for _, n := range held {
		if _, err := l.call(ctx, adapter.Release(n)); err != nil {
			return err
		}
	}
	return nil
}

// errNotLoaded is returned before the program knows an address, since it could connect to a server
// of this machine.
var errNotLoaded = errors.New("it does not load libraries before the C library: it is a static " +
	"program, or one for another C library; use run or matrix with --adapter, on real servers")

// configure sends the first order and waits until the program is ready.
func (l *lock) configure(first adapter.Config) error {
	if _, err := l.settle(); err != nil {
		return err
	}
	if l.page.owner.Load() == 0 {
		return errNotLoaded
	}
	l.running.Go(l.run)
	if err := l.tell(first); err != nil {
		return err
	}
	_, err := l.await(l.life, l.ready)
	return err
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
	config string // of its program
	of     uint64 // the run
}

// Acquire and Release implement workloads.LinkedLock.
func (l *lock) Acquire(ctx context.Context, n int, keys []string, wait time.Duration) (
	said workloads.Said, err error) {
	stop := context.AfterFunc(ctx, func() { _ = l.tell(adapter.Interrupt(ctx, n)) })
	defer stop()
	a, err := l.call(l.life, adapter.Acquire(n, keys, wait))
	if err != nil {
		return said, err
	}
	if err := adapter.Failure(a); err != nil {
		return said, err
	}
	if said.Token = a.Token; a.ValidUntil > 0 {
		said.ValidUntil = time.Now().Add(time.Duration(a.ValidUntil - l.clocks().now))
	}
	return said, nil
}

func (l *lock) Release(_ context.Context, n int) error {
	a, err := l.call(l.life, adapter.Release(n))
	if err != nil {
		return err
	}
	return adapter.Failure(a)
}

// Extend implements workloads.LinkedExtender.
func (l *lock) Extend(_ context.Context, n int) (said workloads.Said, err error) {
	a, err := l.call(l.life, adapter.Extend(n))
	if err == nil {
		err = adapter.Failure(a)
	}
	if a.ValidUntil > 0 {
		said.ValidUntil = time.Now().Add(time.Duration(a.ValidUntil - l.clocks().now))
	}
	return said, err
}

// Close implements workloads.LinkedLock. It keeps the program for another run.
func (l *lock) Close() {
	defer processors().leave(l.of)
	l.end()
	l.running.Wait()
	if l.err != nil {
		l.program.close()
		return
	}
	l.hangUp()
	l.leave()
	idle.put(l.config, l.program)
}

func (l *lock) discard() {
	l.end()
	l.running.Wait()
	l.program.close()
}
