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

// shrinker makes a failing case small while it goes on to violate the same property in the same
// way.
type shrinker struct {
	ctx      context.Context
	property string
	class    string
	decides  bool // the violation decides a run by itself; so must that of a smaller one
	stood    bool // the violation may be one of the harness; see Hit
	fresh    int  // seeds to try in a smaller environment before it is given up
	runs     atomic.Int64
	cost     atomic.Int64 // of the runs, in commands
}

// The budget of making a case small. It is counted in commands and not in time, so that what comes
// of it is the same on every machine: a command takes 16 to 23 µs of a processor, and a run as long
// as 20 commands before its first. That is about 10 s.
const (
	shrinkBudget = 400_000
	runCost      = 20
)

// job runs a job, and counts it.
func (s *shrinker) job(j simrun.Job) (*simrun.Record, error) {
	s.runs.Add(1)
	commands := int64(runCost)
	j.Executed = func(sim.Execution) { commands++ }
	r, err := j.Run(s.ctx)
	s.cost.Add(commands)
	return r, err
}

// over reports whether no more is to be tried.
func (s *shrinker) over() bool { return s.ctx.Err() != nil || s.cost.Load() >= shrinkBudget }

// defaultFresh is how many seeds are tried in each smaller environment.
const defaultFresh = 60

// shrink returns a case that is locally minimal: without any one of its deviations, steps, clients
// or rounds the violation is gone. If ctx ends meanwhile, or the budget is
// used up, it returns the smallest so far.
func (s *shrinker) shrink(c simrun.Case) simrun.Case {
	// a smaller environment is looked for with few deviations: more of them fit into it
	c = s.deviations(c)
	for !s.over() {
		smaller, any := s.configuration(c)
		if !any {
			break
		}
		c = s.deviations(smaller)
	}
	return c
}

// fails reports whether a case violates what it should.
func (s *shrinker) fails(c simrun.Case) bool {
	if s.over() || c.Plan.Validate() != nil {
		return false
	}
	r, err := s.job(c.Job())
	return err == nil && s.shows(r)
}

func (s *shrinker) shows(r *simrun.Record) bool {
	if !slices.Contains(r.Suspects([]string{s.property}), s.property) {
		return false
	}
	p, ok := r.Confirm(s.property)
	return ok && p.Class == s.class && (p.Decides || !s.decides) && (s.stood || !r.OfTheHarness(p))
}

// configuration tries smaller environments until none of them fails any more.
func (s *shrinker) configuration(c simrun.Case) (simrun.Case, bool) {
	any := false
	for again := true; again; {
		again = false
		for _, p := range reductions(c.Plan) {
			smaller, ok := s.environment(c, p)
			if ok {
				c, again, any = smaller, true, true
				break
			}
		}
	}
	return c, any
}

// environment looks for the violation in a smaller environment: with the same deviations, and then
// with fresh seeds.
func (s *shrinker) environment(c simrun.Case, p harness.Plan) (simrun.Case, bool) {
	n := c.Clone()
	n.Plan = p
	if s.fails(n) {
		return n, true
	}
	if p.Validate() != nil {
		return c, false
	}
	for seed := range uint64(s.fresh) {
		if s.over() {
			break
		}
		chooser, answers := randomChooser(fresh(c.Schedule, seed), p, p.Seed+seed+1)
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

// deviations takes away as many as it can: first many at once, at last one by one until nothing
// goes any more. What stays is made as small as it can be.
func (s *shrinker) deviations(c simrun.Case) simrun.Case {
	for size := len(c.Deviations); size > 1; size /= 2 {
		c, _ = s.without(c, size)
	}
	c = s.answers(c)
	for again := true; again && !s.over(); {
		c, again = s.without(c, 1)
	}
	return c
}

// without tries to do without each run of size deviations. It reports whether any went.
func (s *shrinker) without(c simrun.Case, size int) (_ simrun.Case, gone bool) {
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

// answers tries smaller answers.
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

// reductions are the environments that are one step smaller than a plan's: fewer clients, rounds,
// faults, masters, keys, tries; and slower polls, which make a run easier to read.
func reductions(p harness.Plan) (out []harness.Plan) {
	add := func(change func(*harness.Plan)) {
		n := p
		n.Scenario = slices.Clone(p.Scenario)
		change(&n)
		out = append(out, n)
	}
	slow := p.TTL * 11 / 10 // a lease ends between two attempts: nothing makes a run easier to read
	if p.Poll > 0 && p.Poll < slow {
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
	if p.Poll > 0 && 2*p.Poll <= p.TTL {
		add(func(p *harness.Plan) { p.Poll *= 2 })
	}
	if p.AcquireTimeout/2 >= max(2*p.TTL, p.Poll) {
		add(func(p *harness.Plan) { p.AcquireTimeout /= 2 })
	}
	return out
}

// maxRounds is how many cycles a plan without a bound is first cut to.
const maxRounds = 3

// shorter are a scenario without some of its steps, or without a fault and its end. The kinds of
// its faults stay, unless there are many kinds, or none of its steps is needed: without its fault
// it would be another counterexample, in which a client stands at a breakpoint for no reason, or a
// replica is promoted that was not cut off.
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

// manyKinds is how many kinds of steps the longest of our faults has: a failover cuts, kills,
// promotes and directs.
const manyKinds = 4

// faultKinds are the kinds of faults in a scenario.
func faultKinds(steps []nemesis.Step) string {
	kinds := map[string]bool{}
	for _, s := range steps {
		if s.Fault() {
			kinds[s.Do] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(kinds)), " ")
}
