package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
)

// Bounds are what an exhaustive search goes through: all orders of commands, replies and wake-ups within them.
type Bounds struct {
	Clients     int `json:"clients"`
	Rounds      int `json:"rounds"`      // cycles of each client
	Tries       int `json:"tries"`       // of one acquire, a lease apart
	Preemptions int `json:"preemptions"` // how often a client that could go on must wait for another
	Expiries    int `json:"expiries"`    // how often time passes, for longer than a moment, while a message is under way
	Faults      int `json:"faults"`      // 0, or 1: at any place
}

// DefaultBounds find every known violation of a lock that polls, in seconds.
var DefaultBounds = Bounds{Clients: 3, Rounds: 1, Tries: 2, Preemptions: 2, Expiries: 1, Faults: 0}

// String names the space, as in "3 clients, 2 expiries, 4 preemptions".
func (b Bounds) String() string {
	words := []string{
		count(b.Clients, "client", "clients"), count(b.Rounds, "round", "rounds"), count(b.Expiries, "expiry", "expiries"),
		count(b.Preemptions, "preemption", "preemptions"),
	}
	if b.Faults > 0 {
		words = append(words, count(b.Faults, "fault", "faults")+" at any place")
	}
	return strings.Join(words, ", ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Exhaustive is a search through everything within bounds.
type Exhaustive struct {
	Wish       harness.Wish
	Properties []string
	Bounds     Bounds
	Plain      bool          // without state hashing
	Limit      int           // runs at most; the ways are then taken in an order drawn by the seed, so that a part is a fair part; 0: all
	Pace       Pace          // the times; Leaps unless given
	Budget     time.Duration // 0: until it is done
	Jobs       int
	KeepGoing  bool
	Progress   func(Progress)
}

// Covered says what an exhaustive search went through.
type Covered struct {
	Bounds    Bounds `json:"bounds"`
	Schedules int    `json:"schedules"` // that were run to their end
	Merged    int    `json:"merged"`    // that came to a state from which everything had been run already
	States    int    `json:"states"`    // distinct
	Whole     bool   `json:"whole"`     // nothing within the bounds was left out
	Violating int    `json:"violating"` // schedules
	Broke     int    `json:"broke,omitempty"`
	Why       string `json:"why,omitempty"` // it is not whole
}

// String is the answer in one line; it claims no more than was done.
func (c Covered) String() string {
	all := "all "
	if !c.Whole {
		all = ""
	}
	merged := ""
	if c.Merged > 0 {
		merged = fmt.Sprintf(" (%d of them up to a state that was known)", c.Merged)
	}
	text := fmt.Sprintf("no violation in %s%d schedules%s of %s", all, c.Schedules+c.Merged, merged, c.Bounds)
	if c.Violating > 0 {
		text = fmt.Sprintf("%d violating of %s%d schedules%s of %s", c.Violating, all, c.Schedules+c.Merged, merged, c.Bounds)
	}
	if !c.Whole {
		text += "; not finished: " + c.Why
	}
	return text
}

// Pace is how the times of a search stand to each other.
type Pace struct{ TTL, Poll, Hold time.Duration }

// The paces. With Leaps a lease ends between two attempts, and a stay inside is a moment, which is a step that can be picked. With Ticks, which is how
// LOCKS.md §3 was reasoned, a lease has three ticks, and clients work and wait for one: each stay inside sees an attempt of every waiter.
var (
	Leaps = Pace{time.Second, 1100 * time.Millisecond, 4 * time.Millisecond}
	Ticks = Pace{time.Second, 330 * time.Millisecond, 340 * time.Millisecond}
)

const patientTimeout = time.Hour // of the Redis client: that it gives up is a fault of its own

// plan is the world of the search.
func (x Exhaustive) plan() (harness.Plan, error) {
	w, b := x.Wish, x.Bounds
	w.Clients, w.World, w.Stop = b.Clients, "sim", !x.KeepGoing
	entry, err := impls.Find(w.Impl)
	if err != nil {
		return harness.Plan{}, err
	}
	pace := or(x.Pace, Leaps)
	w.TTL, w.Poll = or(w.TTL, pace.TTL), or(w.Poll, pace.Poll)
	if entry.Fixed {
		w.TTL, w.Poll = 0, 0
	}
	if w.Hold == 0 {
		w.Hold = pace.Hold
		if entry.Fixed && entry.TTL/3 < w.Hold {
			w.Hold = entry.TTL / 3
		}
	}
	w.AcquireTimeout = or(w.AcquireTimeout, time.Duration(b.Tries-1)*w.Poll+w.Poll/2)
	if entry.Fixed {
		w.AcquireTimeout = time.Duration(b.Tries-1)*entry.Poll + entry.Poll/2
	}
	w.For = time.Duration(b.Rounds*(b.Tries+2)*b.Clients+10) * 2 * Leaps.Poll
	p, err := harness.NewPlan(w)
	if err != nil {
		return p, err
	}
	p.Rounds, p.Scenario = b.Rounds, nil
	p.Requires = history.Requires{Contended: 1 << 20} // a run ends when everybody has done their cycles
	p.ClientTimeout = history.Duration(or(x.Wish.ClientTimeout, patientTimeout))
	if x.Properties != nil {
		p.Properties = x.Properties
	}
	return p, nil
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Find goes through the space. Hits are the violating runs, the first of each kind, or only the first of all.
func (x Exhaustive) Find(ctx context.Context) ([]Hit, Covered, Progress, error) {
	p, err := x.plan()
	if err != nil {
		return nil, Covered{}, Progress{}, err
	}
	if len(x.Properties) == 0 {
		x.Properties = p.Properties
		if x.Bounds.Expiries > 0 { // a late message that no fault of the record explains looks like a lock that nobody is granted
			x.Properties = slices.DeleteFunc(slices.Clone(p.Properties), func(p string) bool { return p == checker.Deadlock })
		}
	}
	e := &expedition{Exhaustive: x, begin: time.Now(), covered: Covered{Bounds: x.Bounds}, rand: rand.New(rand.NewPCG(x.Wish.Seed, 0x6c3))}
	if err := e.prepare(p); err != nil {
		return nil, Covered{}, Progress{}, err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if x.Budget > 0 {
		inner, cancel = context.WithTimeout(inner, x.Budget)
		defer cancel()
	}
	stop := tellEvery(x.Progress, e.progress)
	var all sync.WaitGroup
	for range max(x.Jobs, 1) {
		all.Go(func() { e.work(inner) })
	}
	all.Wait()
	stop()
	e.finish(ctx, inner)
	return e.hits, e.covered, e.progress(), e.wrong
}

// expedition is the state of an exhaustive search.
type expedition struct {
	Exhaustive
	plans   []harness.Plan // one for each fault that may strike, or one
	begin   time.Time
	rand    *rand.Rand
	states  states
	mu      sync.Mutex
	wake    *sync.Cond
	todo    []way // a stack: what was found last goes first, so that it stays small
	busy    int
	runs    int
	covered Covered
	hits    []Hit
	over    bool
	wrong   error
}

// way is a beginning of a run: what was picked, one after the other.
type way struct {
	plan  int
	picks []int
}

// prepare makes the plans. A fault that strikes at any place waits for a gate that nobody comes to; the search says when it is reached.
func (e *expedition) prepare(p harness.Plan) error {
	e.wake = sync.NewCond(&e.mu)
	e.plans = []harness.Plan{p}
	if e.Bounds.Faults > 0 {
		if e.plans = anywhere(p); len(e.plans) == 0 {
			return fmt.Errorf("%s has no form that can strike at any place; there are: %s", p.Nemesis, strings.Join(AnywhereFaults(), ", "))
		}
	}
	for i := range e.plans {
		e.todo = append(e.todo, way{plan: i})
	}
	return nil
}

// work takes paths and runs them until there are none.
func (e *expedition) work(ctx context.Context) {
	for {
		p, ok := e.take(ctx)
		if !ok {
			return
		}
		e.run(ctx, p)
		e.mu.Lock()
		e.busy--
		e.wake.Broadcast()
		e.mu.Unlock()
	}
}

func (e *expedition) take(ctx context.Context) (way, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.todo) == 0 && e.busy > 0 && !e.over && ctx.Err() == nil {
		e.wake.Wait()
	}
	if len(e.todo) == 0 || e.over || ctx.Err() != nil {
		return way{}, false
	}
	last := len(e.todo) - 1
	if e.Limit > 0 {
		if e.runs >= e.Limit {
			return way{}, false
		}
		i := e.rand.IntN(last + 1)
		e.todo[i], e.todo[last] = e.todo[last], e.todo[i]
	}
	p := e.todo[last]
	e.todo = e.todo[:last]
	e.busy++
	return p, true
}

// run follows a path and then the dullest way, and notes every other way that could have been taken.
func (e *expedition) run(ctx context.Context, p way) {
	inner, cut := context.WithCancel(ctx)
	defer cut()
	s := &scout{path: p, cut: cut, answers: map[string]int{}, told: map[int]uint64{}, limit: e.Bounds, last: passing}
	if !e.Plain {
		s.states = &e.states
	}
	r, err := job{plan: e.plans[p.plan], chooser: s, peek: s.executed, tap: s.tap}.run(inner)
	var hits []Hit
	if err == nil && !s.merged && ctx.Err() == nil {
		hits = e.judge(r, s)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err != nil && e.wrong == nil:
		e.wrong, e.over = err, true
		return
	case err != nil || ctx.Err() != nil && !s.merged:
		e.todo = append(e.todo, p) // it was cut short
		return
	}
	e.runs++
	e.todo = append(e.todo, s.forks...)
	if s.merged {
		e.covered.Merged++
		return
	}
	e.covered.Schedules++
	if r.broke != nil {
		e.covered.Broke++
	}
	e.note(hits)
}

// judge returns what a run violates. Of what is known already it needs no second opinion.
func (e *expedition) judge(r *Record, s *scout) (hits []Hit) {
	for _, property := range r.suspects(e.Properties) {
		h := Hit{Case: Case{e.plans[s.path.plan], Picked, s.answers}, Property: property}
		if !e.knows(property) {
			v, ok := r.confirm(property)
			if !ok {
				continue
			}
			h.Class, h.Words = v.Class, v.Words
		}
		hits = append(hits, h)
	}
	return hits
}

func (e *expedition) knows(property string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.hits, func(h Hit) bool { return h.Property == property })
}

// note keeps the first hit of each property. The lock is held.
func (e *expedition) note(hits []Hit) {
	if len(hits) == 0 {
		return
	}
	e.covered.Violating++
	for _, h := range hits {
		if h.Words != "" && !slices.ContainsFunc(e.hits, func(o Hit) bool { return o.Property == h.Property }) {
			e.hits = append(e.hits, h)
		}
	}
	if !e.KeepGoing {
		e.over = true
		e.wake.Broadcast()
	}
}

// finish says whether everything was covered.
func (e *expedition) finish(ctx, inner context.Context) {
	c := &e.covered
	c.States = e.states.count()
	switch {
	case ctx.Err() != nil:
		c.Why = "it was interrupted"
	case e.wrong != nil:
		c.Why = e.wrong.Error()
	case e.over:
		c.Why = "it stopped at the first violation"
	case inner.Err() != nil:
		c.Why = fmt.Sprintf("the time of %v was over, with %d ways known and not taken", e.Budget, len(e.todo))
	case len(e.todo) > 0:
		c.Why = fmt.Sprintf("%d schedules were enough, with %d ways known and not taken", e.Limit, len(e.todo))
	case c.Broke > 0:
		c.Why = fmt.Sprintf("%d runs broke", c.Broke)
	default:
		c.Whole = true
	}
}

func (e *expedition) progress() Progress {
	e.mu.Lock()
	defer e.mu.Unlock()
	return Progress{e.runs, e.states.count(), e.covered.Violating, e.covered.Broke, time.Since(e.begin)}
}
