package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/sim"
)

// Case is a run that can be done again: what was planned, and how the run differs from the dullest
// one.
type Case struct {
	Plan       harness.Plan
	Schedule   string
	Deviations map[string]int
}

// Case returns what the counterexample's run takes.
func (c *Counterexample) Case() Case { return Case{c.Plan, c.Schedule, c.Deviations} }

func (c Case) clone() Case {
	c.Deviations = maps.Clone(c.Deviations)
	c.Plan.Scenario = slices.Clone(c.Plan.Scenario)
	return c
}

// run does the case again, with its steps.
func (c Case) run(ctx context.Context) (*Record, error) {
	j := c.job()
	j.steps = true
	return j.run(ctx)
}

func (c Case) job() job {
	if c.Schedule == Picked {
		p := &picks{Recorded: c.Deviations}
		return job{plan: c.Plan, chooser: p, tap: func(r *recorder) { p.rec = r }}
	}
	return job{plan: c.Plan, chooser: sim.Recorded(c.Deviations)}
}

// noting remembers the answers of a chooser that are not 0.
type noting struct {
	sim.Chooser
	answers map[string]int
}

// Choose is sim.Chooser.
func (n noting) Choose(width int, label, key string) int {
	c := n.Chooser.Choose(width, label, key)
	if c > 0 {
		n.answers[key] = c
	}
	return c
}

// exact are the properties that the monitor judges while a run goes on; the checker judges the
// others when it is over.
var exact = []string{checker.MutualExclusion, checker.LeaseExclusion}

// suspects returns the properties that a run seems to violate, those first that were asked for
// first. It is quick; confirm decides.
func (r *Record) suspects(properties []string) (found []string) {
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

// confirm lets the checker, with porcupine, judge one property.
func (r *Record) confirm(property string) (checker.Property, bool) {
	v := checker.Check(&r.History, r.Trace, checker.Options{Properties: []string{property}})
	p := v.Property(property)
	return p, p.Verdict == checker.Violated && v.HarnessError == ""
}

// ErrFlaky is for a run that was different when it was done again, which the simulator promises not
// to happen.
var ErrFlaky = errors.New("the same run was different when it was done again")

// settle makes a counterexample of a case: it is run twice, must be the same both times, and must
// violate the property.
func (c Case) settle(ctx context.Context, property string) (*Counterexample, error) {
	first, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	again, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	if k, same := diverge(first.Steps, again.Steps); !same {
		return nil, fmt.Errorf("%w, at step %d", ErrFlaky, k+1)
	}
	p, ok := first.confirm(property)
	if !ok {
		return nil, fmt.Errorf("%s is not violated when the run is done again: %s", property, p.Reason)
	}
	return &Counterexample{
		Format: Format, Schedule: c.Schedule, Plan: c.Plan, Deviations: c.Deviations,
		Steps: upTo(first.Steps, certain(p)), Verdict: p,
	}, nil
}

// diverge compares two runs up to the end of the shorter, and returns the number of the first step
// in which they differ, from 0.
func diverge(a, b []Step) (int, bool) {
	for i := range min(len(a), len(b)) {
		if !reflect.DeepEqual(a[i], b[i]) {
			return i, false
		}
	}
	return min(len(a), len(b)), len(a) == len(b)
}

// certain is the moment up to which a run must be seen to see the violation: when the first of two
// leaves who were inside at once, or, of other violations, when the last thing happened that is a
// part of it.
func certain(p checker.Property) history.Duration {
	at := int64(0)
	w := p.Witness
	if w == nil {
		return maxTime
	}
	if slices.Contains(exact, p.Property) && len(w.Holds) == 2 {
		return history.Duration(min(w.Holds[0].To, w.Holds[1].To))
	}
	for _, h := range w.Holds {
		at = max(at, h.From, h.To)
	}
	for _, c := range w.Commands {
		at = max(at, c.Sent, c.Recv)
	}
	return history.Duration(at)
}

// upTo keeps the steps until a moment.
func upTo(steps []Step, at history.Duration) []Step {
	i := slices.IndexFunc(steps, func(s Step) bool { return s.At > at })
	if i < 0 {
		return steps
	}
	return steps[:i:i]
}
