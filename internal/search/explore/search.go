// Package explore looks for runs of the simulator that show a failure of a lock.
//
// Search (search.go) tries seeds. It schedules messages at random or by priorities (choosers.go),
// and injects faults where scenarios aim them or at random moments (moments.go). Exhaustive
// (exhaust.go) tries every order of messages within bounds, depth first (depth_first.go,
// follower.go), with a fault at any place (anywhere.go). Both return hits (hit.go). Shrinking
// (shrink.go) makes a hit small, and package counterexample stores it.
package explore

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// The moments at which faults are injected.
const (
	Aimed = "aimed" // as the scenarios of the nemesis table specify
	Drawn = "drawn" // at a random time, phase or command
	// as Drawn, but runs that reach a new state are stored and varied
	Guided = "guided"
	Both   = "both" // alternating between Aimed and Guided
)

// Moments returns the names of these moments. The first is the default.
func Moments() []string { return []string{Both, Guided, Drawn, Aimed} }

// Search specifies what to look for, and for how long.
type Search struct {
	Options harness.RunOptions // the lock, the fault, the environment
	// properties to violate; if empty, the default properties of a run
	Properties []string
	// also count R if its violation alone decides a run; always true if Properties is empty
	Decisive bool
	Schedule string        // one of Schedules
	Moments  string        // Aimed, Drawn, Guided or Both
	Seeds    int           // the largest number of runs; 0 means no limit
	Budget   time.Duration // 0 means no limit
	Jobs     int
	Mine     func(seed int) bool // selects the seeds of this machine, from 0; nil selects all
	// KeepGoing continues the search after a violation until 70 % of the budget is used. The rest is
	// for shrinking. A search without a named fault always continues after an overrun of a lease.
	KeepGoing bool
	// Settled leaves out faults that the user did not name and that real servers cannot have, because
	// a run on real servers could not confirm a finding under them.
	Settled bool
	Screen  io.Writer // a terminal for progress reports, or nil
}

// searching is the state of a search.
type searching struct {
	Search
	plans []candidate // tried in turn
	// the commands that earlier generations sent, sorted
	commands []string
	turns    turns
	states   states
	// the number of planned runs, including runs that are skipped after a violation
	planned int
	begin   time.Time

	mu    sync.Mutex
	hits  []Hit
	wrong error
	tally Progress // of the runs and faults so far
}

// candidate is a plan that the search tries in turn with others.
type candidate struct {
	harness.Plan
	drawn  bool   // its scenario is drawn for each seed
	corpus corpus // drawn scenarios for Guided
}

// attempt is one run of a search and the states that it reached.
type attempt struct {
	seed     uint64
	run      int // its number in this search, from 1
	number   int // index of its plan
	plan     harness.Plan
	schedule string
	states   []uint64
	commands map[string]bool // executed commands, as breakpoints name them
}

// generation is how many seeds are planned at once. A search applies new knowledge only from the
// next generation on, so that its result depends on its seeds and not on the number of cores.
const generation = 64

// Find searches until it finds a violation, the budget is used up, or ctx ends. The hits are sorted
// by seed and do not depend on the speed of the cores. It returns an error if nothing can be
// searched.
func (s Search) Find(ctx context.Context) ([]Hit, Progress, error) {
	f := &searching{Search: s, begin: time.Now()}
	f.states.most = mostStates
	if err := f.prepare(); err != nil {
		return nil, Progress{}, err
	}
	inner, cancel := pool.Limit(ctx, s.Budget)
	defer cancel()
	line := show(f.Screen, f.progress, s.Budget, s.Seeds)
	for from := 0; inner.Err() == nil && (s.Seeds == 0 || from < s.Seeds) &&
		!f.enough(uint64(from)); from += generation {
		attempts := f.next(from)
		pool.Each(inner, s.Jobs, f.pending(attempts), func(a *attempt) { f.runAttempt(inner, a) })
		f.learn(attempts)
	}
	line.Stop()
	slices.SortFunc(f.hits, func(a, b Hit) int { return cmp.Compare(a.Seed, b.Seed) })
	f.setAside()
	return f.hits, f.progress(), f.wrong
}

// setAside takes the hits that do not end the search out of the others and notes them. If there are
// no others, the first one remains.
func (f *searching) setAside() {
	if f.KeepGoing {
		return
	}
	found := slices.ContainsFunc(f.hits, f.ends)
	for i, h := range f.hits {
		if !f.ends(h) && (found || i > 0) {
			f.tally.Aside = append(f.tally.Aside, Aside{h.Property, h.Class, h.Case.Plan.Nemesis})
		}
	}
	if found {
		f.hits = slices.DeleteFunc(f.hits, func(h Hit) bool { return !f.ends(h) })
	} else {
		f.hits = f.hits[:min(1, len(f.hits))]
	}
}

// ends reports whether a hit ends the search. If no fault was named, one that no lock of its kind
// can prevent does not: it would hide the defects of the lock.
func (f *searching) ends(h Hit) bool { return f.Options.Nemesis != "" || h.Outside == "" }

// next plans the attempts of the generation that starts with the seed from.
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

// pending yields the attempts that are still needed when their turn comes.
func (f *searching) pending(all []*attempt) iter.Seq[*attempt] {
	return func(yield func(*attempt) bool) {
		for _, a := range all {
			if f.enough(a.seed) || !yield(a) {
				return
			}
		}
	}
}

// learn records the new states and commands of a generation, in the order of the seeds.
func (f *searching) learn(all []*attempt) {
	for _, a := range all {
		fresh := 0
		for _, h := range a.states {
			if f.states.add(h) {
				fresh++
			}
		}
		if c := &f.plans[a.number]; fresh > 0 && c.drawn {
			c.corpus.keep(kept{a.plan, a.schedule})
		}
		f.turns.found(a.schedule, fresh)
		f.commands = slices.AppendSeq(f.commands, maps.Keys(a.commands))
	}
	slices.Sort(f.commands)
	f.commands = slices.Compact(f.commands)
	f.turns.adapt()
}

// enough reports whether seed i can be skipped because an earlier seed has a violation or nothing
// can run.
func (f *searching) enough(i uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.hits) > 0 && f.Budget > 0 &&
		time.Since(f.begin) > time.Duration(searchShare*float64(f.Budget)) {
		return true
	}
	earlier := func(h Hit) bool { return h.Seed < i && f.ends(h) }
	return f.wrong != nil || f.tally.Hung != "" || !f.KeepGoing && slices.ContainsFunc(f.hits, earlier)
}

// searchShare is the share of the budget after which a search ends that goes on after a hit.
const searchShare = 0.7

// prepare makes the plans that are tried in turn.
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
		f.plans, err = f.candidatesOf(o.Nemesis, true)
		return err
	}
	all := nemesis.All()
	// faults that every lock supports come first
	slices.SortStableFunc(all, func(a, b nemesis.Entry) int {
		return strings.Compare(a.Needs, b.Needs)
	})
	var families [][]candidate
	for _, e := range all {
		family, err := f.candidatesOf(e.Name, false)
		if err != nil {
			return err
		}
		families = append(families, family)
	}
	f.plans = byTurns(families)
	return nil
}

// byTurns returns the first candidate of each family, then the second ones, and so on: a search of
// few runs tries each fault once.
func byTurns(families [][]candidate) (all []candidate) {
	for i, more := 0, true; more; i++ {
		more = false
		for _, family := range families {
			if i < len(family) {
				all, more = append(all, family[i]), true
			}
		}
	}
	return all
}

// drawnRounds limits a run with a drawn fault. Such a fault has no aim that could tell when the run
// is done.
const drawnRounds = 4

// DefaultTTL is the default lease of a search.
const DefaultTTL = time.Second

// planFor returns the plan of a search. It is small and ends with the first violation.
func planFor(o harness.RunOptions) (harness.Plan, error) {
	o.Environment, o.Stop = "sim", true
	if o.Clients == 0 && !o.DrawsLoad() {
		o.Clients = 3
	}
	if o.TTL == 0 && !o.Documented && o.Adapter == "" && // a library may have a lease of its own
		!o.DrawsLoad() {
		o.TTL = DefaultTTL
	}
	p, err := harness.NewPlan(o)
	p.Requires.Contended, p.Requires.Handovers = 1, 0
	p.Rest = 0 // clients without pauses cause more violations
	return p, err
}

// variants returns the variants of a fault, or only the given one if it names one.
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

// plan makes the plan of an attempt from its candidate.
func (f *searching) plan(a *attempt) {
	c := &f.plans[a.number]
	p := c.Plan
	p.Seed = f.Options.Seed + a.seed
	// random faults, and the load with them, are drawn by the plan's seed
	if o := f.Options; strings.HasPrefix(p.Nemesis, "random") {
		o.Nemesis, o.Seed = p.Nemesis, p.Seed
		if q, err := planFor(o); err == nil {
			q.Properties, q.Rounds = p.Properties, p.Rounds
			p = q
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
	a.plan = d.newPlan()
}

func (f *searching) runAttempt(ctx context.Context, a *attempt) {
	chooser, answers := randomChooser(a.schedule, a.plan, a.plan.Seed)
	a.commands = map[string]bool{}
	r, err := simrun.Job{Plan: a.plan, Chooser: chooser, States: true,
		Executed: func(x sim.Execution) { a.commands[named(x.Args)] = true }}.Run(ctx)
	switch {
	case err != nil:
		f.cannot(a, err)
		return
	case ctx.Err() != nil && errors.Is(r.HarnessError, context.Cause(ctx)):
		return // it was canceled
	}
	a.states = r.States
	worst, ok := r.Worst(f.suspected())
	f.note(r)
	if !ok || !worst.Decides && !slices.Contains(f.Properties, worst.Property) {
		return
	}
	h := Hit{Case: simrun.Case{Plan: a.plan, Schedule: kind(a.schedule), Deviations: answers},
		Seed: a.seed, Run: a.run, Property: worst.Property, Class: worst.Class,
		Explanation: worst.Explanation, Decides: worst.Decides, Outside: worst.Outside()}
	if f.isKnown(h) {
		return
	}
	if workloads.IsProgram(a.plan.Impl) && !h.repeats(ctx) {
		f.mu.Lock()
		f.tally.Unrepeated++
		f.mu.Unlock()
		return
	}
	f.add(h)
}

func (f *searching) note(r *simrun.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tally.note(r, f.Properties)
}

// suspected returns the properties that each run is judged by.
func (f *searching) suspected() []string {
	if !f.Decisive || slices.Contains(f.Properties, history.Orphan) {
		return f.Properties
	}
	return append(slices.Clone(f.Properties), history.Orphan)
}

// named returns a pattern for a command, as breakpoints name it: its name, and for a script also
// its hash.
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
	switch i := f.sameKind(h); {
	case i < 0:
		f.hits = append(f.hits, h)
	case h.Seed < f.hits[i].Seed: // one of its kind is enough
		f.hits[i] = h
	}
}

// sameKind returns the position of the hit that has the property and class of h, or -1. It returns
// -1 if h ends the search, or all hits are kept.
func (f *searching) sameKind(h Hit) int {
	if f.KeepGoing || f.ends(h) {
		return -1
	}
	return slices.IndexFunc(f.hits, h.sameKind)
}

// isKnown reports whether an earlier seed shows what a hit shows that does not end the search.
func (f *searching) isKnown(h Hit) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := f.sameKind(h)
	return i >= 0 && f.hits[i].Seed <= h.Seed
}

// cannot records that a run could not start. If the user named the fault, the search ends.
// Otherwise the fault is left out.
func (f *searching) cannot(a *attempt, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.Options.Nemesis == "":
		if x := (LeftOut{a.plan.Nemesis, err.Error()}); !slices.Contains(f.tally.LeftOut, x) {
			f.tally.LeftOut = append(f.tally.LeftOut, x)
		}
	case f.wrong == nil:
		f.wrong = err
	}
}

func (f *searching) progress() Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.tally
	p.States, p.Hits, p.Took = f.states.count(), len(f.hits), time.Since(f.begin)
	return p
}
