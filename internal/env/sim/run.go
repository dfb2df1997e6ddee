// Package sim is an environment in virtual time. It runs the same workers, locks and go-redis
// clients as the environment of real processes, with connections in memory to a Redis of our own,
// inside one testing/synctest bubble. A run is a function of its plan and its seed.
//
// How it works: bytes on a connection travel as messages, and one goroutine, the scheduler
// (Environment.Next), delivers each message at its time. It delivers one, waits until every
// goroutine in the bubble is blocked (synctest.Wait), sorts the new messages of these goroutines
// into a canonical order, and goes on. Nothing else may decide what happens next;
// docs/simulator.md has the rules and the traps.
package sim

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/workloads"
)

// prepare sets up this process for simulation.
var prepare = sync.OnceFunc(func() {
	workloads.Silence()
	proc.CollectSeldom()
})

// Run makes the environment, calls f with it, and ends every goroutine of it. Any program can call
// it, also from several goroutines at the same time. But f runs in a bubble: it must not wait for
// anything outside (a channel, a network), and its channels, timers and goroutines must stay
// inside. Run returns the error of f, or one that says why the environment broke. It turns a panic
// of f into an error.
//
// The bubble does not count a client as blocked if it waits for a mutex whose holder waits for the
// network. The environment then makes no progress, and Run returns an error after a while. Only in
// that case goroutines are left behind.
func Run(cfg Config, f func(w *Environment) error) error {
	prepare()
	var h watchdog
	ended := make(chan error, 1)
	go func() { // a goroutine of its own, since a bubble that fails ends its goroutine
		err := errors.New("the simulator's bubble ended early")
		defer func() {
			p := recover()
			switch {
			case p != nil && h.over.Load():
				err = hung()
			case p != nil:
				err = errors.Join(err, fmt.Errorf("the simulator's bubble broke: %v", p))
			}
			ended <- err
		}()
		synctest.Test(&testing.T{}, func(*testing.T) { err = inside(cfg, &h, f) })
	}()
	return h.watch(ended)
}

// watchdog observes from outside of the bubble whether the scheduler waits for clients that never
// block.
type watchdog struct {
	waits   atomic.Int64 // number of waits that have started
	waiting atomic.Bool
	over    atomic.Bool // the environment was used, and nothing went wrong
	closed  atomic.Bool // the environment has ended, and the bubble waits for the last goroutines
}

// stallLimit is the longest real time that clients may take between two events.
const stallLimit = 30 * time.Second

// watch returns how the run ended.
func (h *watchdog) watch(ended <-chan error) error {
	tick := time.NewTicker(stallLimit)
	defer tick.Stop()
	for last := int64(-1); ; {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
		}
		now := h.waits.Load()
		if now == last && h.waiting.Load() {
			return fmt.Errorf("the simulator made no progress for %v: a client waits for a mutex "+
				"whose holder waits for time or the network", stallLimit)
		}
		if now == last && h.closed.Load() {
			return fmt.Errorf("a goroutine of the lock lives on %v after its client has ended",
				stallLimit)
		}
		last = now
	}
}

// inside makes an environment in the bubble, calls f with it and closes it.
func inside(cfg Config, h *watchdog, f func(*Environment) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in the simulator: %v\n%s", p, debug.Stack())
		}
	}()
	w := newEnvironment(cfg)
	w.watchdog = h
	defer h.closed.Store(true)
	defer w.close()
	if err := w.start(); err != nil {
		return err
	}
	if err = f(w); err == nil {
		w.drain()
	}
	h.over.Store(err == nil)
	return err
}

// HangError says that a goroutine of a client never ends. The client's context and its connections
// have ended, so nothing can wake the goroutine any more.
type HangError struct {
	Goroutines []string // stacks, only of goroutines in a call of the lock if there are any
}

// Error shows the first goroutine.
func (e HangError) Error() string {
	text := "a goroutine of the lock never ends, although its client has"
	if len(e.Goroutines) > 0 {
		text += ":\n" + e.Goroutines[0]
	}
	return text
}

// hung returns the error for a bubble whose goroutines all wait for ever.
func hung() HangError {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var all, calls []string
	for g := range strings.SplitSeq(string(stacks), "\n\n") {
		head, _, _ := strings.Cut(g, "\n")
		if !strings.Contains(head, "synctest bubble") || strings.Contains(g, "sim.inside(") {
			continue
		}
		all = append(all, g)
		if above, _, inCall := strings.Cut(g, callOfLock); inCall {
			calls = append(calls, strings.TrimSpace(above[:strings.LastIndex(above, "\n")]))
		}
	}
	if len(calls) > 0 {
		all = calls
	}
	slices.Sort(all)
	return HangError{slices.Compact(all)}
}

// callOfLock is the prefix of the functions that call a linked lock for a worker.
const callOfLock = "workloads.linkedKeys."
