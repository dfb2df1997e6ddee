// Package sim is an environment in virtual time: the same workers, locks and go-redis clients as in
// the environment of real processes, with connections in memory to a Redis of our own, inside one
// testing/synctest bubble. A run is a function of its plan and its seed.
//
// How it works: every byte on a connection is a message that one goroutine, the scheduler
// (Environment.Next), delivers at its time. It delivers one, waits until every goroutine in the
// bubble is blocked (synctest.Wait), puts what they sent meanwhile in a canonical order, and goes
// on. Nothing else may decide what happens next; docs/simulator.md has the rules and the traps.
package sim

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockbench/lockbench/workloads"
)

// prepare makes a process one that simulates.
var prepare = sync.OnceFunc(func() {
	workloads.Silence()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
})

// garbage is how much a simulating process may throw away before it collects, in percent of the
// memory that it keeps. A run throws away 0.1 to 0.6 MB and keeps nothing, and a campaign or a
// search keeps a few megabytes: with Go's own 100 the collector was at work after every 10 to 40
// runs, for 8 % of the time. 400 makes that 2 %, and the heap at most five times what is kept. It
// is set here and nowhere else, because only a process that simulates has such garbage; a user who
// sets GOGC has decided otherwise.
const garbage = 400

// Run makes the environment, calls f with it, and ends every goroutine of it. It can be called from
// any program, and by several goroutines at the same time; but f runs in a bubble, so that it must
// not wait for anything outside (a channel, a network), and what it makes stays inside. The error
// is f's, or says why the environment broke; a panic of f is an error.
//
// A client that waits for a mutex whose holder waits for the network is not blocked in the eyes of
// the bubble: the environment stands still. That is an error, too, and the only one that leaves
// goroutines behind.
func Run(cfg Config, f func(w *Environment) error) error {
	prepare()
	var h watchdog
	ended := make(chan error, 1)
	go func() { // a goroutine of its own: it is ended by a bubble that fails
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

// watchdog shows from outside of the bubble whether the scheduler waits for clients that never come
// to rest.
type watchdog struct {
	waits   atomic.Int64 // number of waits that have begun
	waiting atomic.Bool
	over    atomic.Bool // the environment was used, and nothing went wrong
	closed  atomic.Bool // the environment has ended, and the bubble waits for the last goroutines
}

// stallLimit is how much real time clients may need between two events.
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

// inside is a whole life of an environment, in the bubble.
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
	err = f(w)
	h.over.Store(err == nil)
	return err
}
