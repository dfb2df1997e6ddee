package explore

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// shrinker makes the case of a hit smaller while it still violates the same property in the same
// way. If the violation alone decides a run, it must do so in a smaller case as well.
type shrinker struct {
	ctx   context.Context
	hit   Hit
	fresh int // the number of seeds to try with a smaller plan
	runs  atomic.Int64
	cost  atomic.Int64 // of the runs, in commands
}

// The budget of shrinking is counted in commands instead of time, so that the result is the same on
// every machine. A command takes 16 to 23 µs of CPU time, and the start of a run costs as much as
// 20 commands. The budget is about 10 s.
const (
	shrinkBudget = 400_000
	runCost      = 20
)

// job runs a job and counts its cost.
func (s *shrinker) job(j simrun.Job) (*simrun.Record, error) {
	s.runs.Add(1)
	commands := int64(runCost)
	j.Executed = func(sim.Execution) { commands++ }
	r, err := j.Run(s.ctx)
	s.cost.Add(commands)
	return r, err
}

// exhausted reports whether the budget is used up or ctx has ended.
func (s *shrinker) exhausted() bool { return s.ctx.Err() != nil || s.cost.Load() >= shrinkBudget }

// defaultFresh is the number of seeds to try with each smaller plan.
const defaultFresh = 60

// shrink returns a locally minimal case: the violation disappears if any one of its deviations,
// steps, clients or rounds is removed. If ctx ends or the budget is used up, it returns the
// smallest case so far.
func (s *shrinker) shrink(c simrun.Case) simrun.Case {
	// a case with few deviations is more likely to fail with a smaller plan as well
	c = s.deviations(c)
	for !s.exhausted() {
		smaller, any := s.configuration(c)
		if !any {
			break
		}
		c = s.deviations(smaller)
	}
	return c
}

// fails reports whether a case shows the wanted violation.
func (s *shrinker) fails(c simrun.Case) bool {
	if s.exhausted() || c.Plan.Validate() != nil {
		return false
	}
	r, err := s.job(c.Job())
	return err == nil && s.shows(r)
}

func (s *shrinker) shows(r *simrun.Record) bool {
	h := s.hit
	if len(r.Suspects([]string{h.Property})) == 0 {
		return false
	}
	p, ok := r.Confirm(h.Property)
	return ok && p.Class == h.Class && (p.Decides || !h.Decides) && (h.Stood || !r.OfTheHarness(p))
}

// configuration makes the plan smaller as long as a smaller one still fails.
func (s *shrinker) configuration(c simrun.Case) (simrun.Case, bool) {
	any := false
	for again := true; again; {
		again = false
		for _, p := range reductions(c.Plan) {
			smaller, ok := s.searchPlan(c, p)
			if ok {
				c, again, any = smaller, true, true
				break
			}
		}
	}
	return c, any
}

// searchPlan looks for the violation with a smaller plan, first with the same deviations and then
// with other seeds.
func (s *shrinker) searchPlan(c simrun.Case, p harness.Plan) (simrun.Case, bool) {
	n := c.Clone()
	n.Plan = p
	if s.fails(n) {
		return n, true
	}
	if p.Validate() != nil {
		return c, false
	}
	for seed := range uint64(s.fresh) {
		if s.exhausted() {
			break
		}
		chooser, answers := randomChooser(scheduleFor(c.Schedule, seed), p, p.Seed+seed+1)
		r, err := s.job(simrun.Job{Plan: p, Chooser: chooser})
		if err != nil {
			break // it cannot run at all
		}
		if s.shows(r) {
			return simrun.Case{Plan: p, Schedule: c.Schedule, Deviations: answers}, true
		}
	}
	return c, false
}

// deviations removes as many deviations as possible, first many at once and then one by one. It
// also makes the remaining answers as small as possible.
func (s *shrinker) deviations(c simrun.Case) simrun.Case {
	for size := len(c.Deviations); size > 1; size /= 2 {
		c, _ = s.removeDeviations(c, size)
	}
	c = s.answers(c)
	for again := true; again && !s.exhausted(); {
		c, again = s.removeDeviations(c, 1)
	}
	return c
}

// removeDeviations tries to remove each group of size deviations. It reports whether it removed
// any.
func (s *shrinker) removeDeviations(c simrun.Case, size int) (_ simrun.Case, gone bool) {
	names := slices.Sorted(maps.Keys(c.Deviations))
	for from := 0; from < len(names); from += size {
		n := c.Clone()
		for _, name := range names[from:min(from+size, len(names))] {
			delete(n.Deviations, name)
		}
		if s.fails(n) {
			c, gone = n, true
		}
	}
	return c, gone
}

func (s *shrinker) answers(c simrun.Case) simrun.Case {
	for _, name := range slices.Sorted(maps.Keys(c.Deviations)) {
		for a := 1; a < c.Deviations[name]; a++ {
			n := c.Clone()
			n.Deviations[name] = a
			if s.fails(n) {
				c = n
				break
			}
		}
	}
	return c
}

// reductions returns the environments that are one step smaller than a plan's. They have fewer
// clients, rounds, faults, masters, keys or tries, or slower polls, which make a run easier to
// read.
func reductions(p harness.Plan) (out []harness.Plan) {
	add := func(change func(*harness.Plan)) {
		n := p
		n.Scenario = slices.Clone(p.Scenario)
		change(&n)
		out = append(out, n)
	}
	// one lease expires between two attempts, which makes a run easy to read
	slow := p.TTL * 11 / 10
	polls := p.Poll > 0 && !workloads.IsLinked(p.Impl) // a linked lock keeps its poll interval
	if polls && p.Poll < slow {
		add(func(p *harness.Plan) { p.Poll, p.AcquireTimeout = slow, max(p.AcquireTimeout, 3*slow) })
	}
	for n := 1; n < p.Clients; n++ {
		add(func(p *harness.Plan) { p.Clients = n })
	}
	for n := 1; n < p.Rounds || p.Rounds == 0 && n <= maxRounds; n++ {
		add(func(p *harness.Plan) { p.Rounds = n })
	}
	for _, steps := range shorter(p.Scenario) {
		add(func(p *harness.Plan) {
			if p.Scenario = steps; len(steps) == 0 {
				p.Scenario, p.Nemesis = nil, "none"
			}
		})
	}
	if len(p.Leases) > 0 {
		add(func(p *harness.Plan) { p.Leases = nil })
	}
	if p.Masters > 3 {
		add(func(p *harness.Plan) { p.Masters -= 2 })
	}
	if p.Requires != (history.Requires{}) {
		add(func(p *harness.Plan) { p.Requires = history.Requires{} })
	}
	if p.Workload != workloads.Mutex && p.Workload != workloads.LongWork {
		add(func(p *harness.Plan) { p.Workload, p.Keys = workloads.Mutex, 1 })
	}
	if p.Think > 0 {
		add(func(p *harness.Plan) { p.Think = 0 })
	}
	if polls && 2*p.Poll <= p.TTL {
		add(func(p *harness.Plan) { p.Poll *= 2 })
	}
	if p.AcquireTimeout/2 >= max(2*p.TTL, p.Poll) {
		add(func(p *harness.Plan) { p.AcquireTimeout /= 2 })
	}
	return out
}

// maxRounds is the largest number of cycles to try if the plan has no limit.
const maxRounds = 3

// shorter returns copies of a scenario without some of its steps, or without a fault and its end.
// The kinds of faults stay the same, unless there are many kinds or all steps can go. A scenario
// without one of its kinds would be a different counterexample: a client would wait at a breakpoint
// for no reason, or a replica would be promoted that was not cut off.
func shorter(steps []nemesis.Step) (out [][]nemesis.Step) {
	try := func(less []nemesis.Step) {
		if kinds := faultKinds(steps); len(less) == 0 || kinds == faultKinds(less) ||
			strings.Count(kinds, " ") > manyKinds {
			out = append(out, less)
		}
	}
	for size := len(steps); size >= 1; size /= 2 {
		for from := 0; from+size <= len(steps); from += size {
			try(slices.Delete(slices.Clone(steps), from, from+size))
		}
	}
	for i, f := range steps {
		for j := i + 1; j < len(steps); j++ {
			if f.Lasts() && steps[j].Undoes(f.Do) && steps[j].Target == f.Target {
				try(slices.Delete(slices.Delete(slices.Clone(steps), j, j+1), i, i+1))
				break
			}
		}
	}
	return out
}

// manyKinds is the number of kinds of steps in the longest fault: a failover cuts, kills, promotes
// and redirects.
const manyKinds = 4

// faultKinds returns the sorted kinds of faults in a scenario.
func faultKinds(steps []nemesis.Step) string {
	kinds := map[string]bool{}
	for _, s := range steps {
		if s.Fault() {
			kinds[s.Do] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(kinds)), " ")
}
