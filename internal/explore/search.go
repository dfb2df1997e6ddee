package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/explore/counterexample"
	"github.com/lockbench/lockbench/internal/explore/simrun"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/pool"
	"github.com/lockbench/lockbench/nemesis"
)

// How schedules are chosen.
const (
	Random   = "random"   // each message takes a random time
	Priority = "priority" // clients have priorities that change at a few random points
)

// Where faults are injected.
const (
	Aimed = "aimed" // as the scenarios of the nemesis table say
	Drawn = "drawn" // at a random time, phase or command
	Both  = "both"  // by turns
)

// Search is what to look for, and for how long.
type Search struct {
	Options    harness.RunOptions // the lock, the fault, the environment
	Properties []string           // to be violated; empty: those that a run judges by default
	Schedule   string             // Random or Priority
	Moments    string             // Aimed, Drawn or Both
	Seeds      int                // runs at most; 0: no limit
	Budget     time.Duration      // 0: no limit
	Jobs       int
	Mine       func(seed int) bool // the seeds of this machine, counted from 0; nil: all
	KeepGoing  bool                // after a violation
	Screen     io.Writer           // a terminal shows how far the search has come; nil: none does
}

// searching is the state of a search.
type searching struct {
	Search
	plans  []harness.Plan // by turns
	states states
	begin  time.Time
	runs   atomic.Int64
	errors atomic.Int64 // of the harness

	mu    sync.Mutex
	hits  []Hit
	wrong error
	broke string // why the first of the runs that broke did
}

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
	line := show(f.Screen, f.progress)
	pool.Each(inner, s.Jobs, f.seeds, func(seed uint64) { f.one(inner, seed) })
	line.Stop()
	slices.SortFunc(f.hits, func(a, b Hit) int { return cmp.Compare(a.Seed, b.Seed) })
	return f.hits, f.progress(), f.wrong
}

// seeds are those that are to be run.
func (f *searching) seeds(yield func(uint64) bool) {
	for i := 0; (f.Seeds == 0 || i < f.Seeds) && !f.enough(uint64(i)); i++ {
		if (f.Mine == nil || f.Mine(i)) && !yield(uint64(i)) {
			return
		}
	}
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
	return f.wrong != nil || !f.KeepGoing && slices.ContainsFunc(f.hits, func(h Hit) bool {
		return h.Seed < i
	})
}

// prepare makes the plans that are tried by turns.
func (f *searching) prepare() error {
	if err := harness.Judgeable(f.Properties); err != nil {
		return err
	}
	base, err := planFor(f.Options)
	if err != nil {
		return err
	}
	f.Properties = history.PropertyLetters(f.Properties)
	if len(f.Properties) == 0 {
		f.Properties = base.Deciding()
	}
	specs := variants(f.Options.Nemesis)
	for _, spec := range specs {
		o := f.Options
		o.Nemesis = spec
		p, err := planFor(o)
		var lacks nemesis.ImpossibleError
		if len(specs) > 1 && errors.As(err, &lacks) {
			continue // the other forms can be searched; one that was named is refused
		} else if err != nil {
			return err
		}
		p.Properties = f.Properties
		if f.Moments != Drawn {
			f.plans = append(f.plans, p)
		}
		if _, ok := (draw{rand.New(rand.NewPCG(1, 1)), p}).effect(spec); ok && f.Moments != Aimed {
			p.Scenario, p.Rounds = nil, drawnRounds // drawn for each seed
			f.plans = append(f.plans, p)
		}
	}
	if len(f.plans) == 0 {
		return fmt.Errorf("%s has no form whose moment can be drawn; use --moments aimed",
			f.Options.Nemesis)
	}
	return nil
}

// drawnRounds bounds a run with a drawn fault, which has no aim to tell when it has shown what it
// can show.
const drawnRounds = 4

// planFor is the plan of a search: small, and over with the first violation.
func planFor(o harness.RunOptions) (harness.Plan, error) {
	o.Environment, o.Stop = "sim", true
	if o.Clients == 0 {
		o.Clients = 3
	}
	if o.TTL == 0 && !o.Documented {
		o.TTL = time.Second
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

// plan is the plan of a seed.
func (f *searching) plan(seed uint64) harness.Plan {
	p := f.plans[seed%uint64(len(f.plans))]
	p.Seed = f.Options.Seed + seed
	if o := f.Options; strings.HasPrefix(p.Nemesis, "random") { // which draws by the plan's seed
		o.Nemesis, o.Seed = p.Nemesis, p.Seed
		if q, err := planFor(o); err == nil {
			p.Scenario, p.Topology = q.Scenario, q.Topology
		}
	}
	if p.Scenario == nil && p.Nemesis != "none" {
		d := draw{rand.New(rand.NewPCG(p.Seed, 0xd4a3)), p}
		p.Scenario, p.Requires = d.scenario(p.Nemesis), history.Requires{}
	}
	return p
}

// one runs a seed.
func (f *searching) one(ctx context.Context, seed uint64) {
	p := f.plan(seed)
	schedule := counterexample.Timed
	if f.Schedule == Priority {
		schedule = counterexample.Picked
	}
	chooser, answers := randomChooser(schedule, p.Seed)
	walk := walk{states: &f.states}
	r, err := simrun.Job{Plan: p, Chooser: chooser, Executed: walk.executed}.Run(ctx)
	switch {
	case err != nil:
		f.fail(err)
		return
	case ctx.Err() != nil && errors.Is(r.HarnessError, context.Cause(ctx)):
		return // it was cut short
	}
	f.runs.Add(1)
	if r.HarnessError != nil && f.errors.Add(1) == 1 {
		f.mu.Lock()
		f.broke = r.HarnessError.Error()
		f.mu.Unlock()
	}
	for _, property := range r.Suspects(f.Properties) {
		if v, ok := r.Confirm(property); ok && !r.OfTheHarness(v) {
			f.add(Hit{Case: simrun.Case{Plan: p, Schedule: schedule, Deviations: answers}, Seed: seed,
				Property: property, Class: v.Class, Explanation: v.Explanation})
			break
		}
	}
}

func (f *searching) add(h Hit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hits = append(f.hits, h)
}

func (f *searching) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wrong == nil {
		f.wrong = err
	}
}

func (f *searching) progress() Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Progress{int(f.runs.Load()), f.states.count(), len(f.hits), int(f.errors.Load()),
		time.Since(f.begin), f.broke}
}
