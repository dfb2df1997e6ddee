// Package simrun executes one run of the simulator for a search or a replay. A chooser decides what
// the plan leaves open. The package judges the run while it is in progress, and keeps its history,
// its trace and optionally its steps. Start reading at Case, a run that can be repeated.
package simrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
)

// Job describes one run of the simulator.
type Job struct {
	Plan     harness.Plan
	Chooser  sim.Chooser
	Steps    bool                // record them
	Stepped  func(steps int)     // called with the number of steps recorded so far; may be nil
	Executed func(sim.Execution) // called for each command that a node executes; may be nil
	Changed  func(sim.Change)    // called for each change of a key on a node; may be nil
	Happened func(history.Event) // called for each event of the history; may be nil
	States   bool                // record the states that the run reaches
	// the fault at any place, injected by the chooser, or nil if the plan has none
	Injection *Injection
	// the files of the run directory; without them the run is kept only in memory
	Output harness.Output
}

// Record is the result of a run.
type Record struct {
	History history.History
	Trace   []history.Command
	Steps   []counterexample.Step
	States  []uint64 // hashes of the distinct states, in the order in which the run reached them
	Epoch   int64    // clock of the environment at the start
	// a replica was promoted while a write to it was in flight
	Overtaken bool
	// an error of the harness that makes the run less valuable, or nil
	HarnessError error

	// a call of the lock that never returned and its goroutine, or ""
	Hung string

	caught       []string // properties that the monitor found violated
	inapplicable []string // properties that did not apply for the latest Suspects
	stopped      int      // number of steps before clients were told to give up
	// A lease that runs out while its holder waits at a breakpoint is not only the harness' doing.
	// Either the lock should have renewed it, or the plan is about such a delay.
	meant bool
	standing
}

// Run executes the job. It returns an error if the plan cannot run in the simulator or the
// simulator fails.
func (j Job) Run(ctx context.Context) (*Record, error) {
	p := j.Plan
	if err := p.Simulable(); err != nil {
		return nil, err
	}
	rec := newRecorder(j)
	cfg := sim.Config{
		Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas, Clients: p.Clients, Seed: p.Seed,
		Worker: p.Worker(), RedisConfig: p.RedisConfig,
		Chooser: j.Chooser, Executed: rec.executed,
		Changed: j.Changed,
		Effects: p.Adapter != nil, // for scripts that the lock does not describe
	}
	cfg.Worker.Fresh = j.Steps
	err := sim.Run(cfg, func(w *sim.Environment) error {
		rec.begin(w)
		o := &observed{Environment: w, rec: rec}
		if err := nemesis.Possible(o, p.Scenario); err != nil {
			return fmt.Errorf("%s: %w", p.Nemesis, err)
		}
		rec.HarnessError = harness.Run(ctx, p, o, j.output(rec))
		return nil
	})
	if hung, ok := errors.AsType[sim.HangError](err); err != nil && !(ok && rec.hangs(hung)) {
		return nil, err
	}
	rec.States = rec.situation.states
	return &rec.Record, nil
}

// output returns where the run is written.
func (j Job) output(rec *recorder) harness.Output {
	o := j.Output
	if o.History == nil {
		o.History, o.Trace = io.Discard, io.Discard
	}
	o.Watch = rec.watch
	return o
}

// exact lists the properties that the monitor judges during a run. The checker judges the others at
// the end.
var exact = []string{checker.MutualExclusion, checker.LeaseExclusion}

// Suspects returns the properties that a run seems to violate, in the given order. It is a quick
// test, and Confirm gives the final verdict.
func (r *Record) Suspects(properties []string) (found []string) {
	rest := slices.DeleteFunc(slices.Clone(properties), func(p string) bool {
		return slices.Contains(exact, p)
	})
	late := &checker.Verdict{}
	if len(rest) > 0 {
		late = checker.Check(&r.History, r.Trace, checker.Options{Properties: rest})
	}
	r.inapplicable = slices.DeleteFunc(rest, func(p string) bool {
		return late.Property(p).Verdict != checker.NA
	})
	for _, p := range properties {
		if slices.Contains(r.caught, p) || late.Property(p).Verdict == checker.Violated {
			found = append(found, p)
		}
	}
	return found
}

// Inapplicable reports whether the latest Suspects found that a property does not apply, because of
// the lock or of its workload. Then it does not apply to the run as Judge takes it, either.
func (r *Record) Inapplicable(property string) bool {
	return slices.Contains(r.inapplicable, property) && slices.Contains(ofWorkload, property)
}

// ofWorkload lists the properties that apply or not because of the lock and its workload, however a
// run ends.
var ofWorkload = []string{checker.OwnerRelease, checker.Fencing, checker.LostUpdate,
	checker.Reentry}

// Confirm judges one property with the checker, including porcupine, and reports whether it is
// violated.
func (r *Record) Confirm(property string) (checker.Property, bool) {
	v := checker.Check(&r.History, r.Trace, checker.Options{Properties: []string{property}})
	p := v.Property(property)
	return p, p.Verdict == checker.Violated && v.HarnessError == ""
}

// Judge returns the verdicts on the properties, as of a run that was meant to be over where it
// ended, and that need not have met a fault.
func (r *Record) Judge(properties []string) []checker.Property {
	h := r.History
	h.Header.Requires = history.Requires{}
	end := history.Event{Type: history.End, Process: history.Harness}
	for i := range h.Events {
		end.T = max(end.T, h.Events[i].T)
	}
	h.Events = append(slices.Clip(h.Events), end)
	return checker.Check(&h, r.Trace, checker.Options{Properties: properties}).Properties
}

// Worst returns the worst of the properties that the run certainly violates and that the harness
// has not caused, and whether there is one.
func (r *Record) Worst(properties []string) (worst checker.Property, found bool) {
	for _, property := range r.Suspects(properties) {
		v, ok := r.Confirm(property)
		if ok && !r.OfTheHarness(v) && (!found || rank(v) < rank(worst)) {
			worst, found = v, true
		}
	}
	return worst, found
}

func rank(p checker.Property) int { return checker.Rank(p.Property, p.Class, p.Reported) }

// Slowest returns the longest time that a command took from its client's point of view. An
// unanswered command counts until the end of the trace.
func (r *Record) Slowest() (d time.Duration) {
	end := int64(0)
	for _, c := range r.Trace {
		end = max(end, c.Sent, c.Recv)
	}
	for _, c := range r.Trace {
		to := c.Recv
		if to == 0 {
			to = end
		}
		d = max(d, time.Duration(to-c.Sent))
	}
	return d
}

// hangs reports whether a call of the lock never returned, and records it in r.Hung. Such a call is
// open at the end of the history, and its client was not killed. Its goroutine can no longer wake
// up.
func (r *Record) hangs(e sim.HangError) bool {
	open := map[int]*history.Event{}
	for i := range r.History.Events {
		switch x := &r.History.Events[i]; {
		case x.Type == history.Invoke:
			open[x.Process] = x
		case x.Type.Completes(), x.Type == history.Kill, x.Type == history.Exit:
			delete(open, x.Process)
		}
	}
	for p := range 1 << 10 {
		if x := open[p]; x != nil {
			r.Hung = fmt.Sprintf("the %s of client %d, called at %.3f s, never returned, although its "+
				"context has ended and its connections are closed:\n%s", x.F, p, float64(x.T)/1e9,
				strings.Join(e.Goroutines, "\n\n"))
			return true
		}
	}
	return false
}
