package explore

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/nemesis"
)

// Where faults are injected.
const (
	Aimed = "aimed" // as the scenarios of the nemesis table say
	Drawn = "drawn" // at a random time, phase or command
	// drawn; those of runs that came to a new state are kept and changed a little
	Guided = "guided"
	Both   = "both" // aimed and guided, by turns
)

// Moments are the names of where faults are injected, the default first.
func Moments() []string { return []string{Both, Guided, Drawn, Aimed} }

// Search is what to look for, and for how long.
type Search struct {
	Options    harness.RunOptions // the lock, the fault, the environment
	Properties []string           // to be violated; empty: those that a run judges by default
	// in addition, R where its violation decides a run by itself; always so if Properties is empty
	Decisive bool
	Schedule string        // one of Schedules
	Moments  string        // Aimed, Drawn, Guided or Both
	Seeds    int           // runs at most; 0: no limit
	Budget   time.Duration // 0: no limit
	Jobs     int
	Mine     func(seed int) bool // the seeds of this machine, counted from 0; nil: all
	// KeepGoing lets the search go on after a violation, for most of its budget: the rest is for
	// what was found.
	KeepGoing bool
	Screen    io.Writer // a terminal shows how far the search has come; nil: none does
}

// searching is the state of a search.
type searching struct {
	Search
	plans []candidate // by turns
	// commands that some run of an earlier generation sent, in order
	commands []string
	out      []LeftOut // faults that the lock or the simulator cannot have, and why
	turns    turns
	states   states
	// runs that were planned; those after a violation are not made
	planned int
	begin   time.Time
	runs    atomic.Int64
	errors  atomic.Int64 // of the harness

	mu    sync.Mutex
	hits  []Hit
	wrong error
	broke string // why the first of the runs that broke did

	hung string // a call that never returned

	evidence Evidence // of the other runs
}

// candidate is a plan that is tried by turns with others.
type candidate struct {
	harness.Plan
	drawn  bool   // its scenario is drawn for each seed
	corpus corpus // of drawn scenarios; only what is guided looks into it
}

// attempt is one run of a search, and the states that it came to.
type attempt struct {
	seed     uint64
	run      int // its number in this search, from 1
	number   int // of the plan, among those that are tried by turns
	plan     harness.Plan
	schedule string
	visited  visited
	commands map[string]bool // that nodes executed, as breakpoints name them
}

// generation is how many seeds are planned at once. What a search has learned counts from the next
// generation on, so that what it does depends on its seeds alone and not on the number of cores.
const generation = 64

// Find searches until a violation is found, the budget is used up, or ctx ends. The hits are in the
// order of their seeds, and do not depend on which core was faster. An error says why nothing can
// be searched.
func (s Search) Find(ctx context.Context) ([]Hit, Progress, error) {
	f := &searching{Search: s, begin: time.Now()}
	f.states.most = mostStates
	if err := f.prepare(); err != nil {
		return nil, Progress{}, err
	}
	inner, cancel := within(ctx, s.Budget)
	defer cancel()
	line := show(f.Screen, f.progress, s.Budget, s.Seeds)
	for from := 0; inner.Err() == nil && (s.Seeds == 0 || from < s.Seeds) &&
		!f.enough(uint64(from)); from += generation {
		attempts := f.next(from)
		pool.Each(inner, s.Jobs, f.wanted(attempts), func(a *attempt) { f.one(inner, a) })
		f.learn(attempts)
	}
	line.Stop()
	slices.SortFunc(f.hits, func(a, b Hit) int { return cmp.Compare(a.Seed, b.Seed) })
	return f.hits, f.progress(), f.wrong
}

// next plans a generation.
func (f *searching) next(from int) (all []*attempt) {
	to := from + generation
	if f.Seeds > 0 {
		to = min(to, f.Seeds)
	}
	for i := from; i < to; i++ {
		if f.Mine == nil || f.Mine(i) {
			number := i % len(f.plans)
			f.planned++
			a := &attempt{seed: uint64(i), run: f.planned, number: number,
				schedule: f.turns.take(number)}
			f.plan(a)
			all = append(all, a)
		}
	}
	return all
}

// wanted are those attempts that are still of interest when their turn comes.
func (f *searching) wanted(all []*attempt) iter.Seq[*attempt] {
	return func(yield func(*attempt) bool) {
		for _, a := range all {
			if f.enough(a.seed) || !yield(a) {
				return
			}
		}
	}
}

// learn notes, in the order of the seeds, what was new in a generation.
func (f *searching) learn(all []*attempt) {
	for _, a := range all {
		fresh := 0
		for _, h := range a.visited.order {
			if f.states.add(h) {
				fresh++
			}
		}
		if c := &f.plans[a.number]; fresh > 0 && c.drawn {
			c.corpus.keep(kept{a.plan, a.schedule})
		}
		f.turns.found(a.schedule, fresh)
		for name := range a.commands {
			if !slices.Contains(f.commands, name) {
				f.commands = append(f.commands, name)
			}
		}
	}
	slices.Sort(f.commands)
	f.turns.adapt()
}

// within is a context with a budget of time; 0: without a limit.
func within(ctx context.Context, budget time.Duration) (context.Context, context.CancelFunc) {
	if budget > 0 {
		return context.WithTimeout(ctx, budget)
	}
	return context.WithCancel(ctx)
}

// enough reports whether seed i need not be run: an earlier one has a violation, or nothing can
// run.
func (f *searching) enough(i uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.KeepGoing && len(f.hits) > 0 && f.Budget > 0 &&
		time.Since(f.begin) > time.Duration(searchShare*float64(f.Budget)) {
		return true
	}
	earlier := func(h Hit) bool { return h.Seed < i }
	return f.wrong != nil || f.hung != "" || !f.KeepGoing && slices.ContainsFunc(f.hits, earlier)
}

// searchShare is the share of the budget after which a search that goes on after a violation ends.
const searchShare = 0.7

// prepare makes the plans that are tried by turns.
func (f *searching) prepare() error {
	if err := harness.Judgeable(f.Properties); err != nil {
		return err
	}
	f.turns.members = members
	if f.Schedule != Portfolio {
		f.turns.members = []string{f.Schedule}
	}
	o := f.Options
	o.Nemesis = cmp.Or(o.Nemesis, noFault)
	base, err := planFor(o)
	if err != nil {
		return err
	}
	if f.Properties = history.Distinct(f.Properties); len(f.Properties) == 0 {
		f.Properties, f.Decisive = base.Deciding(), true
	}
	if f.Options.Nemesis != "" {
		return f.under(o.Nemesis, true)
	}
	all := nemesis.All()
	slices.SortStableFunc(all, func(a, b nemesis.Entry) int { // what every lock can have comes first
		return strings.Compare(a.Needs, b.Needs)
	})
	for _, e := range all {
		if err := f.under(e.Name, false); err != nil {
			return err
		}
	}
	return nil
}

// drawnRounds bounds a run with a drawn fault, which has no aim to tell when it has shown what it
// can show.
const drawnRounds = 4

// DefaultTTL is the lease that a search gives a lock.
const DefaultTTL = time.Second

// planFor is the plan of a search: small, and over with the first violation.
func planFor(o harness.RunOptions) (harness.Plan, error) {
	o.Environment, o.Stop = "sim", true
	if o.Clients == 0 {
		o.Clients = 3
	}
	if o.TTL == 0 && !o.Documented && o.Adapter == "" { // a library may have a lease of its own
		o.TTL = DefaultTTL
	}
	p, err := harness.NewPlan(o)
	p.Requires.Contended, p.Requires.Handovers = 1, 0
	p.Rest = 0 // it looks for violations, and clients that are in a hurry make more
	return p, err
}

// variants are the forms of a fault, if none is named.
func variants(spec string) (specs []string) {
	e, _, err := nemesis.Find(spec)
	if err != nil || strings.Contains(spec, ":") || len(e.Variants) < 2 {
		return []string{spec}
	}
	for _, v := range e.Variants {
		name := strings.NewReplacer("N", "3", "DURATION", "50ms").Replace(v.Name)
		if spec := e.Name + ":" + name; !slices.Contains(specs, spec) {
			specs = append(specs, spec)
		}
	}
	return specs
}

// plan makes the plan of an attempt from the candidate that has its turn.
func (f *searching) plan(a *attempt) {
	c := &f.plans[a.number]
	p := c.Plan
	p.Seed = f.Options.Seed + a.seed
	if o := f.Options; strings.HasPrefix(p.Nemesis, "random") { // which draws by the plan's seed
		o.Nemesis, o.Seed = p.Nemesis, p.Seed
		if q, err := planFor(o); err == nil {
			p.Scenario, p.Topology = q.Scenario, q.Topology
		}
	}
	if a.plan = p; !c.drawn {
		return
	}
	d := draw{rand: rand.New(rand.NewPCG(p.Seed, 0xd4a3)), plan: p}
	if f.Moments != Drawn {
		d.commands = f.commands
	}
	if f.Moments != Drawn && len(c.corpus.all) > 0 && d.rand.IntN(2) == 0 {
		k := d.changed(c.corpus.all[d.rand.IntN(len(c.corpus.all))])
		a.plan, a.schedule = k.plan, k.schedule
		return
	}
	a.plan = d.fresh()
}

// one does an attempt.
func (f *searching) one(ctx context.Context, a *attempt) {
	chooser, answers := randomChooser(a.schedule, a.plan, a.plan.Seed)
	a.commands = map[string]bool{}
	r, err := simrun.Job{Plan: a.plan, Chooser: chooser, Visited: a.visited.add,
		Executed: func(x sim.Execution) { a.commands[named(x.Args)] = true }}.Run(ctx)
	switch {
	case err != nil:
		f.cannot(a, err)
		return
	case ctx.Err() != nil && errors.Is(r.HarnessError, context.Cause(ctx)):
		return // it was cut short
	}
	f.runs.Add(1)
	f.note(r)
	worst, ok := r.Worst(f.suspected())
	if ok && (worst.Decides || slices.Contains(f.Properties, worst.Property)) {
		f.add(Hit{Case: simrun.Case{Plan: a.plan, Schedule: kind(a.schedule), Deviations: answers},
			Seed: a.seed, Run: a.run, Property: worst.Property, Class: worst.Class,
			Explanation: worst.Explanation, Decides: worst.Decides})
	}
}

// note counts a run and what it exercised.
func (f *searching) note(r *simrun.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hung = cmp.Or(f.hung, r.Hung)
	if r.HarnessError == nil {
		f.evidence.note(r)
	} else if f.errors.Add(1) == 1 {
		f.broke = r.HarnessError.Error()
	}
}

// suspected returns the properties that each run is judged by.
func (f *searching) suspected() []string {
	if !f.Decisive || slices.Contains(f.Properties, history.Orphan) {
		return f.Properties
	}
	return append(slices.Clone(f.Properties), history.Orphan)
}

// named is a command as a breakpoint names it: by its name, and a script by its hash, too.
func named(args []string) string {
	n := 1
	if strings.HasPrefix(strings.ToLower(args[0]), "eval") && len(args) > 1 && len(args[1]) == sha {
		n = 2
	}
	return "(?i)^" + regexp.QuoteMeta(strings.Join(args[:n], " ")) + "( |$)"
}

// sha is the length of a script's hash.
const sha = 40

func (f *searching) add(h Hit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hits = append(f.hits, h)
}

// cannot notes that a run could not be made. A fault that was named ends the search, and another is
// left out.
func (f *searching) cannot(a *attempt, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.Options.Nemesis == "":
		if x := (LeftOut{a.plan.Nemesis, err.Error()}); !slices.Contains(f.out, x) {
			f.out = append(f.out, x)
		}
	case f.wrong == nil:
		f.wrong = err
	}
}

func (f *searching) progress() Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Progress{Runs: int(f.runs.Load()), States: f.states.count(), Hits: len(f.hits),
		HarnessErrors: int(f.errors.Load()), Took: time.Since(f.begin), Broke: f.broke,
		Evidence: f.evidence, Hung: f.hung, LeftOut: slices.Clone(f.out)}
}
