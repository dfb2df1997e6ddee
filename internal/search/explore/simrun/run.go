// Package simrun carries out one run of the simulator for a search or a replay: it lets a chooser
// decide what the plan leaves open, judges the run while it goes on, and keeps its history, its
// trace and, if wanted, its steps. Begin with Case, a run that can be done again.
package simrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
)

// Job is one run of the simulator that is wanted.
type Job struct {
	Plan     harness.Plan
	Chooser  sim.Chooser
	Steps    bool                // record them
	Stepped  func(steps int)     // is called with the number of steps recorded so far; may be nil
	Executed func(sim.Execution) // is called for each command that a node executes; may be nil
	Changed  func(sim.Change)    // is called for each change of a key on a node; may be nil
	Happened func(history.Event) // is called for each event of the history; may be nil
	Visited  func(state uint64)  // is called for each state that the run comes to; may be nil
	// the fault at any place, which the chooser injects; nil: the plan has none
	Injection *Injection
}

// Record is what a run left.
type Record struct {
	History history.History
	Trace   []history.Command
	Steps   []counterexample.Step
	Epoch   int64 // environment's clock at the start
	// a replica was promoted before it had a write that was under way to it
	Overtaken bool
	// why the run is worth less than planned; nil: it is not
	HarnessError error

	// a call of the lock that never returned, and its goroutine; "": none was seen
	Hung string

	caught  []string // properties that the monitor saw violated
	stopped int      // steps before clients were told to give up
	// a lease that runs out while its holder stands at a breakpoint is more than the harness' doing:
	// the lock should have renewed it, or that is what the plan is about
	meant bool
	standing
}

// Run carries out the job. The error says why there is no record at all: the plan cannot run in the
// simulator, or the simulator broke.
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
		Effects: p.Adapter != nil, // scripts of which the lock says nothing
	}
	err := sim.Run(cfg, func(w *sim.Environment) error {
		rec.begin(w)
		o := &observed{Environment: w, rec: rec}
		if err := nemesis.Possible(o, p.Scenario); err != nil {
			return fmt.Errorf("%s: %w", p.Nemesis, err)
		}
		rec.HarnessError = harness.Run(ctx, p, o, harness.Output{History: io.Discard,
			Trace: io.Discard, Watch: rec.watch})
		return nil
	})
	var hung sim.HangError
	if err != nil && !(errors.As(err, &hung) && rec.hangs(hung)) {
		return nil, err
	}
	return &rec.Record, nil
}

// exact are the properties that the monitor judges while a run goes on; the checker judges the
// others when it is over.
var exact = []string{checker.MutualExclusion, checker.LeaseExclusion}

// Suspects returns the properties that a run seems to violate, in the order in which they were
// asked for. It is quick; Confirm decides.
func (r *Record) Suspects(properties []string) (found []string) {
	var rest []string
	for _, p := range properties {
		if !slices.Contains(exact, p) {
			rest = append(rest, p)
		}
	}
	late := &checker.Verdict{}
	if len(rest) > 0 {
		late = checker.Check(&r.History, r.Trace, checker.Options{Properties: rest})
	}
	for _, p := range properties {
		if slices.Contains(r.caught, p) || late.Property(p).Verdict == checker.Violated {
			found = append(found, p)
		}
	}
	return found
}

// Confirm lets the checker, with porcupine, judge one property, and reports whether it is violated.
func (r *Record) Confirm(property string) (checker.Property, bool) {
	v := checker.Check(&r.History, r.Trace, checker.Options{Properties: []string{property}})
	p := v.Property(property)
	return p, p.Verdict == checker.Violated && v.HarnessError == ""
}

// Worst returns the worst of these properties that the run surely violates and that the harness has
// not caused, and whether there is one.
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

// Slowest is how long a command took at most, as its client saw it; one that was never answered
// took until the end.
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
