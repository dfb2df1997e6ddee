package simrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/workloads"
)

// Case is a run that can be repeated. It consists of the plan and the deviations from the default
// run.
type Case struct {
	Plan       harness.Plan
	Schedule   string
	Deviations map[string]int
}

// CaseOf returns the case of a counterexample.
func CaseOf(c *counterexample.Counterexample) Case { return Case{c.Plan, c.Schedule, c.Deviations} }

// Clone returns a copy that can be changed.
func (c Case) Clone() Case {
	c.Deviations = maps.Clone(c.Deviations)
	c.Plan.Scenario = slices.Clone(c.Plan.Scenario)
	return c
}

// Run repeats the case and records its steps.
func (c Case) Run(ctx context.Context) (*Record, error) {
	j := c.Job()
	j.Steps = true
	return j.Run(ctx)
}

// Job returns the job that repeats the case without recording its steps.
func (c Case) Job() Job {
	if c.Schedule == counterexample.Picked {
		p := &recordedOrder{Recorded: c.Deviations}
		return Job{Plan: c.Plan, Chooser: p, Injection: &p.Injection}
	}
	return Job{Plan: c.Plan, Chooser: sim.Recorded(c.Deviations)}
}

// ErrFlaky is returned if a repeated run was different, which the simulator promises to prevent.
var ErrFlaky = errors.New("the same run was different when it was done again")

// Settle makes a counterexample of a case. It runs the case twice, or three times if the lock is a
// program. It returns an error if a run does not violate the property, or if the runs differ. Only
// the steps of a program may differ, because its threads or timers race.
func (c Case) Settle(ctx context.Context, property string) (*counterexample.Counterexample, error) {
	first, err := c.Run(ctx)
	if err != nil {
		return nil, err
	}
	p, ok := first.Confirm(property)
	program := workloads.IsProgram(c.Plan.Impl)
	switch {
	case !ok && first.HarnessError != nil:
		return nil, first.HarnessError
	case !ok && program: // it was, with programs that had served others
		return nil, fmt.Errorf("%w, and %s was not violated: %s", ErrFlaky, property, p.Reason)
	case !ok:
		return nil, fmt.Errorf("%s is not violated when the run is done again: %s", property, p.Reason)
	}
	times, varies := 1, false
	if program {
		times = 2
	}
	for range times {
		again, err := c.Run(ctx)
		if err != nil {
			return nil, err
		}
		if k, same := counterexample.Diverge(first.Steps, again.Steps); !same {
			if q, ok := again.Confirm(property); !program || !ok || q.Class != p.Class {
				return nil, fmt.Errorf("%w, at step %d", ErrFlaky, k+1)
			}
			varies = true
		}
	}
	return &counterexample.Counterexample{
		Format: counterexample.Format, Schedule: c.Schedule, Plan: c.Plan, Deviations: c.Deviations,
		Varies: varies, Steps: first.witnessSteps(p), Verdict: p,
	}, nil
}

// witnessSteps returns the steps up to the point where the violation is visible. If two clients
// were inside at once, that is when the first of them leaves or when clients are told to give up.
// For other violations it is the last event that is part of the violation.
func (r *Record) witnessSteps(p checker.Property) []counterexample.Step {
	at := int64(0)
	w := p.Witness
	if w == nil {
		return r.Steps
	}
	if slices.Contains(exact, p.Property) && len(w.Holds) == 2 {
		both := counterexample.UpTo(r.Steps, history.Duration(max(w.Holds[0].From, w.Holds[1].From)))
		n := max(len(both), r.stopped)
		at = min(w.Holds[0].To, w.Holds[1].To)
		return counterexample.UpTo(r.Steps[:n:n], history.Duration(at))
	}
	for _, h := range w.Holds {
		at = max(at, h.From, h.To)
	}
	for _, c := range w.Commands {
		at = max(at, c.Sent, c.Recv)
	}
	return counterexample.UpTo(r.Steps, history.Duration(at))
}
