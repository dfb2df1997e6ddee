package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
)

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

// prepare makes the plans. A fault that strikes at any place waits for a gate that nobody comes to;
// the search says when it is reached.
func (e *expedition) prepare(p harness.Plan) error {
	e.wake = sync.NewCond(&e.mu)
	e.plans = []harness.Plan{p}
	if e.Bounds.Faults > 0 {
		if e.plans = anywhere(p); len(e.plans) == 0 {
			return fmt.Errorf("%s has no form that can strike at any place; there are: %s", p.Nemesis,
				strings.Join(AnywhereFaults(), ", "))
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

// run follows a path and then the dullest way, and notes every other way that could have been
// taken.
func (e *expedition) run(ctx context.Context, p way) {
	inner, cut := context.WithCancel(ctx)
	defer cut()
	s := &scout{path: p, cut: cut, answers: map[string]int{}, told: map[int]uint64{}, limit: e.Bounds,
		last: passing}
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
	if e.Slowest > 0 && r.slowest() > e.Slowest {
		return nil
	}
	for _, property := range r.suspects(e.Properties) {
		h := Hit{Case: Case{e.plans[s.path.plan], Picked, s.answers}, Property: property}
		if !e.knows(property) {
			v, ok := r.confirm(property)
			if !ok {
				continue
			}
			h.Class, h.Words = v.Class, v.Explanation
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
		if h.Words != "" && !slices.ContainsFunc(e.hits, func(o Hit) bool {
			return o.Property == h.Property
		}) {
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
		c.Why = fmt.Sprintf("the time of %v was over, with %d ways known and not taken", e.Budget,
			len(e.todo))
	case len(e.todo) > 0:
		c.Why = fmt.Sprintf("%d schedules were enough, with %d ways known and not taken", e.Limit,
			len(e.todo))
	case c.Broke > 0:
		c.Why = fmt.Sprintf("%d runs broke", c.Broke)
	default:
		c.Whole = true
	}
}

func (e *expedition) progress() Progress {
	e.mu.Lock()
	defer e.mu.Unlock()
	return Progress{e.runs, e.states.count(), e.covered.Violating, e.covered.Broke,
		time.Since(e.begin)}
}
