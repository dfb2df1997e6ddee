package explore

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// depthFirst is the state of an exhaustive search. It repeatedly runs a known prefix, which yields
// longer prefixes.
type depthFirst struct {
	Exhaustive
	plans   []harness.Plan // one for each form of a fault at any place, otherwise one
	begin   time.Time
	rand    *rand.Rand
	states  states
	mu      sync.Mutex
	wake    *sync.Cond
	todo    []prefix // a stack; taking the latest first keeps it small
	busy    int
	covered Covered
	hits    []Hit
	over    bool
	wrong   error
	tally   Progress // of the runs so far; States and Took are counted elsewhere
}

// prefix is the start of a run: the indexes of the options that were chosen, in order.
type prefix struct {
	plan    int
	choices []int
	rest    []int    // further options at the last choice
	asleep  []asleep // what sleeps at the last choice
}

// prepare makes the plans. The scenario of a fault at any place waits for a breakpoint that no
// client reaches, and the search decides when it strikes.
func (d *depthFirst) prepare(p harness.Plan) error {
	d.wake = sync.NewCond(&d.mu)
	d.plans = []harness.Plan{p}
	if d.Bounds.Faults > 0 {
		if d.plans = anywhere(p); len(d.plans) == 0 {
			return fmt.Errorf("%s has no form that can strike at any place; there are: %s", p.Nemesis,
				strings.Join(AnywhereFaults(), ", "))
		}
	}
	for i := range d.plans {
		d.todo = append(d.todo, prefix{plan: i})
	}
	return nil
}

// prefixes returns the prefixes to run until no run can yield another one.
func (d *depthFirst) prefixes(ctx context.Context) iter.Seq[prefix] {
	return func(yield func(prefix) bool) {
		for p, ok := d.take(ctx); ok && yield(p); p, ok = d.take(ctx) {
		}
	}
}

func (d *depthFirst) take(ctx context.Context) (prefix, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.todo) == 0 && d.busy > 0 && !d.over && ctx.Err() == nil {
		d.wake.Wait()
	}
	if len(d.todo) == 0 || d.over || ctx.Err() != nil {
		return prefix{}, false
	}
	last := len(d.todo) - 1
	if d.Limit > 0 {
		if d.tally.Runs >= d.Limit {
			return prefix{}, false
		}
		i := d.rand.IntN(last + 1)
		d.todo[i], d.todo[last] = d.todo[last], d.todo[i]
	}
	p := d.todo[last]
	d.todo = d.todo[:last]
	d.busy++
	return p, true
}

// run follows a prefix, takes the default choices from there on, and stores each prefix that
// branches off.
func (d *depthFirst) run(ctx context.Context, p prefix) {
	inner, cut := context.WithCancel(ctx)
	defer cut()
	f := &follower{prefix: p, cut: cut, answers: map[string]int{}, replied: map[string]uint64{},
		limit: d.Bounds, last: passing, clashes: d.clashes}
	if !d.Sleepless {
		x := fault(d.plans[p.plan])
		f.fault = &x
	}
	if !d.Plain {
		f.states = &d.states
	}
	r, err := simrun.Job{Plan: d.plans[p.plan], Chooser: f, Executed: f.executed,
		Happened: f.happened, Injection: &f.Injection}.Run(inner)
	f.branchNext(false)
	var hits []Hit
	if err == nil && !f.merged && ctx.Err() == nil {
		hits = d.judge(r, f)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy--
	defer d.wake.Broadcast()
	switch {
	case err != nil && d.wrong == nil:
		d.wrong, d.over = err, true
		return
	case err != nil || ctx.Err() != nil && !f.merged:
		d.todo = append(d.todo, p) // it was canceled
		return
	}
	d.covered.Asleep += f.slept
	d.todo = append(d.todo, f.branches...)
	if f.merged {
		d.covered.Merged++
		d.tally.Runs++
		return
	}
	d.covered.Schedules++
	if d.ended != nil {
		d.ended(r)
	}
	d.tally.note(r, d.Properties)
	d.note(hits)
}

// judge returns the violations of a run. A property that is already known to be violated is not
// confirmed again.
func (d *depthFirst) judge(r *simrun.Record, f *follower) (hits []Hit) {
	if d.Slowest > 0 && r.Slowest() > d.Slowest {
		return nil
	}
	for _, property := range r.Suspects(d.Properties) {
		h := Hit{Case: simrun.Case{Plan: d.plans[f.prefix.plan], Schedule: counterexample.Picked,
			Deviations: f.answers}, Property: property}
		if !d.knows(property) {
			v, ok := r.Confirm(property)
			if !ok || r.OfTheHarness(v) {
				continue
			}
			h.Class, h.Explanation = v.Class, v.Explanation
		}
		hits = append(hits, h)
	}
	return hits
}

func (d *depthFirst) knows(property string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.hits, func(h Hit) bool { return h.Property == property })
}

// note keeps the first hit of each property. The caller holds d.mu.
func (d *depthFirst) note(hits []Hit) {
	if len(hits) == 0 {
		return
	}
	d.tally.Hits++
	for _, h := range hits {
		if h.Explanation != "" && !slices.ContainsFunc(d.hits, func(o Hit) bool {
			return o.Property == h.Property
		}) {
			d.hits = append(d.hits, h)
		}
	}
	if !d.KeepGoing {
		d.over = true
		d.wake.Broadcast()
	}
}

// finish records whether everything was covered.
func (d *depthFirst) finish(ctx, inner context.Context) {
	c := &d.covered
	c.States, c.Violating, c.HarnessErrors = d.states.count(), d.tally.Hits, d.tally.HarnessErrors
	switch {
	case ctx.Err() != nil:
		c.Reason = "it was interrupted"
	case d.wrong != nil:
		c.Reason = d.wrong.Error()
	case d.over:
		c.Reason = "it stopped at the first violation"
	case inner.Err() != nil:
		c.Reason = fmt.Sprintf("the time of %v was over", d.Budget)
	case len(d.todo) > 0:
		c.Reason = fmt.Sprintf("%d schedules were enough", d.Limit)
	case c.HarnessErrors > 0:
		c.Reason = units.Count(c.HarnessErrors, "run") + " broke"
	default:
		c.Whole = true
	}
	if !c.Whole {
		for _, p := range d.todo {
			c.Known += 1 + len(p.rest)
		}
	}
}

func (d *depthFirst) progress() Progress {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.tally
	p.States, p.Took = d.states.count(), time.Since(d.begin)
	return p
}
