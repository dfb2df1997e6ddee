package explore

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
)

// Exhaustive is a search through everything within bounds.
type Exhaustive struct {
	Wish       harness.RunOptions
	Properties []string
	Bounds     Bounds
	Plain      bool // without state hashing
	// runs at most; the ways are then taken in an order drawn by the seed, so that a part is a fair
	// part; 0: all
	Limit int
	Pace  Pace // the times; Leaps unless given
	// a run in which a command took longer is not judged: how slow clients may be without a fault; 0:
	// as slow as they like
	Slowest   time.Duration
	Budget    time.Duration // 0: until it is done
	Jobs      int
	KeepGoing bool
	Progress  func(Progress)
}

// Pace is how the times of a search stand to each other.
type Pace struct{ TTL, Poll, Hold time.Duration }

// The paces. With Leaps a lease ends between two attempts, and a stay inside is a moment, which is
// a step that can be picked. With Ticks, which is how the expected table was reasoned
// (docs/locks/expected.md, The two spaces), a lease has three ticks, and clients work and wait for
// one: each stay inside sees an attempt of every waiter.
var (
	Leaps = Pace{time.Second, 1100 * time.Millisecond, 4 * time.Millisecond}
	Ticks = Pace{time.Second, 330 * time.Millisecond, 340 * time.Millisecond}
)

// patience of the Redis clients, in leases: that one gives up is a fault of its own. It bounds a
// run, too: a watchdog goes on for as long.
const patientLeases = 10

// plan is the environment of the search.
func (x Exhaustive) plan() (harness.Plan, error) {
	w, b := x.Wish, x.Bounds
	w.Clients, w.Environment, w.Stop = b.Clients, "sim", !x.KeepGoing
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
	// a run ends when everybody has done their cycles
	p.Requires = history.Requires{Contended: 1 << 20}
	p.ClientTimeout = history.Duration(or(x.Wish.ClientTimeout, patientLeases*max(p.TTL.D(),
		Leaps.TTL)))
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

// Find goes through the space. Hits are the violating runs, the first of each kind, or only the
// first of all.
func (x Exhaustive) Find(ctx context.Context) ([]Hit, Covered, Progress, error) {
	p, err := x.plan()
	if err != nil {
		return nil, Covered{}, Progress{}, err
	}
	if len(x.Properties) == 0 {
		x.Properties = p.Properties
		// a late message that no fault of the record explains looks like a lock that nobody is granted
		if x.Bounds.Expiries > 0 {
			x.Properties = slices.DeleteFunc(slices.Clone(p.Properties), func(p string) bool {
				return p == checker.Deadlock
			})
		}
	}
	e := &expedition{Exhaustive: x, begin: time.Now(), covered: Covered{Bounds: x.Bounds},
		rand: rand.New(rand.NewPCG(x.Wish.Seed, 0x6c3))}
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
