package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// The ways to choose schedules.
const (
	Random   = "random"   // each message takes a way of random length
	Priority = "priority" // clients have priorities that change at a few random points
)

// Where faults strike.
const (
	Aimed = "aimed" // as the scenarios of the nemesis table say
	Drawn = "drawn" // at a random time, phase or command
	Both  = "both"  // by turns
)

// Search is what to look for, and for how long.
type Search struct {
	Wish       harness.RunOptions // the lock, the fault, the environment
	Properties []string           // to be violated; empty: those that a run judges by default
	Schedule   string             // Random or Priority
	Moments    string             // Aimed, Drawn or Both
	Seeds      int                // runs at most; 0: no limit
	Budget     time.Duration
	Jobs       int
	Mine       func(seed int) bool // the seeds of this machine, counted from 0; nil: all
	KeepGoing  bool                // after a violation
	Progress   func(Progress)
}

// Progress is how far a search has come.
type Progress struct {
	Runs   int           `json:"runs"`
	States int           `json:"states"` // distinct: what nodes executed and replied, in order
	Hits   int           `json:"hits"`   // runs with a violation
	Broke  int           `json:"broke"`  // runs that are worth nothing
	Took   time.Duration `json:"took"`
}

// Rate is how many runs were made in a second.
func (p Progress) Rate() float64 { return float64(p.Runs) / max(p.Took.Seconds(), 1e-9) }

// Hit is a run with a violation, as it was found.
type Hit struct {
	Case     Case
	Seed     uint64
	Property string
	Class    string
	Words    string // the violation, told for people
}

// finding is the state of a search.
type finding struct {
	Search
	scenarios []harness.Plan // by turns
	runs      atomic.Int64
	broke     atomic.Int64
	states    states
	mu        sync.Mutex
	hits      []Hit
	wrong     error
	begin     time.Time
}

// Find searches until a violation is found, the budget is used up, or ctx ends. It returns what was
// found first by seed, in an order that does not depend on which core was faster. An error says why
// nothing can be searched.
func (s Search) Find(ctx context.Context) ([]Hit, Progress, error) {
	f := &finding{Search: s, begin: time.Now()}
	if err := f.prepare(); err != nil {
		return nil, Progress{}, err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.Budget > 0 {
		inner, cancel = context.WithTimeout(inner, s.Budget)
		defer cancel()
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for range max(s.Jobs, 1) {
		all.Go(func() {
			for inner.Err() == nil {
				i := next.Add(1) - 1
				if s.Seeds > 0 && i >= int64(s.Seeds) || f.enough(i) {
					return
				}
				if s.Mine == nil || s.Mine(int(i)) {
					f.one(inner, uint64(i))
				}
			}
		})
	}
	stop := f.report()
	all.Wait()
	stop()
	slices.SortFunc(f.hits, func(a, b Hit) int { return int(int64(a.Seed) - int64(b.Seed)) })
	return f.hits, f.progress(), f.wrong
}

// enough reports whether seed i need not be run: an earlier one has a violation, or nothing can
// run.
func (f *finding) enough(i int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wrong != nil || !f.KeepGoing && slices.ContainsFunc(f.hits, func(h Hit) bool {
		return int64(h.Seed) < i
	})
}

// prepare makes the plans that are tried by turns.
func (f *finding) prepare() error {
	if err := harness.Judgeable(f.Properties); err != nil {
		return err
	}
	base, err := planFor(f.Wish)
	if err != nil {
		return err
	}
	if len(f.Properties) == 0 {
		f.Properties = base.Properties
	}
	specs := variants(f.Wish.Nemesis)
	for _, spec := range specs {
		w := f.Wish
		w.Nemesis = spec
		p, err := planFor(w)
		if err != nil {
			return err
		}
		p.Properties = f.Properties
		if f.Moments != Drawn {
			f.scenarios = append(f.scenarios, p)
		}
		if _, ok := (draw{rand.New(rand.NewPCG(1, 1)), p}).effect(spec); ok && f.Moments != Aimed {
			p.Scenario, p.Rounds = nil, drawnRounds // drawn for each seed
			f.scenarios = append(f.scenarios, p)
		}
	}
	if len(f.scenarios) == 0 {
		return fmt.Errorf("%s has no form whose moment can be drawn; use --moments aimed", f.Wish.Nemesis)
	}
	return nil
}

// drawnRounds bounds a run with a drawn fault, which has no aim to tell when it has shown what it
// can show.
const drawnRounds = 4

// planFor is the plan of a search: small, and over with the first violation.
func planFor(w harness.RunOptions) (harness.Plan, error) {
	w.Environment, w.Stop = "sim", true
	if w.Clients == 0 {
		w.Clients = 3
	}
	if w.TTL == 0 && !w.Documented {
		w.TTL = time.Second
	}
	p, err := harness.NewPlan(w)
	p.Requires.Contended = 1
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

// plan is that of a seed.
func (f *finding) plan(seed uint64) harness.Plan {
	p := f.scenarios[seed%uint64(len(f.scenarios))]
	p.Seed = f.Wish.Seed + seed
	if w := f.Wish; strings.HasPrefix(p.Nemesis, "random") { // which draws by the plan's seed
		w.Nemesis, w.Seed = p.Nemesis, p.Seed
		if q, err := planFor(w); err == nil {
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
func (f *finding) one(ctx context.Context, seed uint64) {
	p := f.plan(seed)
	schedule := Timed
	if f.Schedule == Priority {
		schedule = Picked
	}
	chooser, answers := dice(schedule, p.Seed)
	walk := walk{states: &f.states}
	r, err := job{plan: p, chooser: chooser, peek: walk.executed}.run(ctx)
	switch {
	case err != nil:
		f.fail(err)
		return
	case ctx.Err() != nil && errors.Is(r.broke, context.Cause(ctx)):
		return // it was cut short
	}
	f.runs.Add(1)
	if r.broke != nil {
		f.broke.Add(1)
	}
	for _, property := range r.suspects(f.Properties) {
		if v, ok := r.confirm(property); ok {
			f.add(Hit{Case{p, schedule, answers}, seed, property, v.Class, v.Explanation})
			break
		}
	}
}

func (f *finding) add(h Hit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hits = append(f.hits, h)
}

func (f *finding) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wrong == nil {
		f.wrong = err
	}
}

func (f *finding) progress() Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Progress{int(f.runs.Load()), f.states.count(), len(f.hits), int(f.broke.Load()),
		time.Since(f.begin)}
}

func (f *finding) report() (stop func()) { return tellEvery(f.Progress, f.progress) }

// tellEvery tells the progress a few times a second until it is stopped.
func tellEvery(tell func(Progress), progress func() Progress) (stop func()) {
	if tell == nil {
		return func() {}
	}
	t, end := time.NewTicker(200*time.Millisecond), make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-t.C:
				tell(progress())
			case <-end:
				return
			}
		}
	})
	return func() {
		t.Stop()
		close(end)
		done.Wait()
	}
}

// Shrink makes the case of a hit small and returns it as a counterexample. If ctx ends meanwhile,
// it is the smallest so far.
func (h Hit) Shrink(ctx context.Context) (*Counterexample, int, error) {
	s := &shrinker{ctx: ctx, property: h.Property, class: h.Class, fresh: defaultFresh}
	small := s.shrink(h.Case)
	c, err := small.settle(context.WithoutCancel(ctx), h.Property)
	return c, s.runs, err
}

// Settle returns the hit as a counterexample without making it small.
func (h Hit) Settle(ctx context.Context) (*Counterexample, error) {
	return h.Case.settle(ctx, h.Property)
}
