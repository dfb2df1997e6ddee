package explore

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// Exhaustive is a search that tries everything within bounds.
type Exhaustive struct {
	Options    harness.RunOptions
	Properties []string
	Bounds     Bounds
	Plain      bool // without state hashing
	Sleepless  bool // without sleep sets
	// the largest number of runs; if positive, the seed draws the order of the prefixes, so that the
	// runs are a fair sample; 0 means no limit
	Limit int
	Pace  Pace // if zero, Leaps
	// Runs with a slower command are not judged. This limits how slow clients may be without a fault.
	// Zero means no limit.
	Slowest   time.Duration
	Budget    time.Duration // zero means no limit
	Jobs      int
	KeepGoing bool
	Screen    io.Writer // see Search

	// Tests set these. Ended is called for each run that was not cut off, and clashes replaces the
	// test whether two steps clash.
	ended   func(*simrun.Record)
	clashes func(a, t asleep) bool
}

// Pace sets the lease, the poll interval and the hold time of a search in relation to each other.
type Pace struct{ TTL, Poll, Hold time.Duration }

// The paces. With Leaps a lease expires between two attempts, and the search treats a hold as a
// moment, which is one step. The expected table was derived with Ticks (docs/locks/expected.md, The
// two spaces). There a lease has three ticks, and clients poll and work for one tick each, so that
// every waiter makes an attempt during each hold.
var (
	Leaps = Pace{time.Second, 1100 * time.Millisecond, 4 * time.Millisecond}
	Ticks = Pace{time.Second, 330 * time.Millisecond, 340 * time.Millisecond}
)

// patientLeases is the timeout of the Redis clients in leases. A client that gives up would be a
// fault of its own. It also bounds a run, because a watchdog goes on for as long.
const patientLeases = 10

// plan returns the environment of the search.
func (x Exhaustive) plan() (harness.Plan, error) {
	o, b := x.Options, x.Bounds
	o.Clients, o.Environment, o.Stop = b.Clients, "sim", !x.KeepGoing
	entry, err := impls.Find(o.Impl)
	if err != nil {
		return harness.Plan{}, err
	}
	pace := cmp.Or(x.Pace, Leaps)
	o.TTL, o.Poll = cmp.Or(o.TTL, pace.TTL), cmp.Or(o.Poll, pace.Poll)
	tries := func(poll time.Duration) time.Duration { return time.Duration(b.Tries-1)*poll + poll/2 }
	o.AcquireTimeout = cmp.Or(o.AcquireTimeout, tries(o.Poll))
	hold := pace.Hold
	if entry.Fixed {
		o.TTL, o.Poll, o.AcquireTimeout = 0, 0, tries(entry.Poll)
		hold = min(hold, entry.TTL/3)
	}
	o.Hold = cmp.Or(o.Hold, hold)
	o.For = time.Duration(b.Rounds*(b.Tries+2)*b.Clients+10) * 2 * Leaps.Poll
	p, err := harness.NewPlan(o)
	if err != nil {
		return p, err
	}
	p.Rounds, p.Scenario, p.Rest = b.Rounds, nil, 0
	// a run ends when every client has finished its cycles
	p.Requires = history.Requires{Contended: 1 << 20}
	p.ClientTimeout = history.Duration(cmp.Or(x.Options.ClientTimeout, patientLeases*max(p.TTL.D(),
		Leaps.TTL)))
	if x.Properties != nil {
		p.Properties = x.Properties
	}
	return p, nil
}

// Find searches the space. It returns the first hit of each kind, or only the very first unless
// KeepGoing is set.
func (x Exhaustive) Find(ctx context.Context) ([]Hit, Covered, Progress, error) {
	p, err := x.plan()
	if err != nil {
		return nil, Covered{}, Progress{}, err
	}
	if len(x.Properties) == 0 {
		x.Properties = p.Deciding()
		// after a late message that no fault of the record explains, the lock looks as if it were never
		// granted again
		if x.Bounds.Expiries > 0 {
			x.Properties = slices.DeleteFunc(p.Deciding(), func(p string) bool {
				return p == checker.Deadlock
			})
		}
	}
	if x.clashes == nil {
		x.clashes = asleep.clashes
	}
	d := &depthFirst{Exhaustive: x, begin: time.Now(), covered: Covered{Bounds: x.Bounds},
		rand: rand.New(rand.NewPCG(x.Options.Seed, 0x6c3))}
	if err := d.prepare(p); err != nil {
		return nil, Covered{}, Progress{}, err
	}
	inner, cancel := pool.Limit(ctx, x.Budget)
	defer cancel()
	line := show(x.Screen, d.progress, x.Budget, 0)
	pool.Each(inner, x.Jobs, d.prefixes(inner), func(p prefix) { d.run(inner, p) })
	line.Stop()
	d.finish(ctx, inner)
	return d.hits, d.covered, d.progress(), d.wrong
}

// Bounds limit an exhaustive search. It tries all orders of commands, replies and wake-ups within
// them.
type Bounds struct {
	Clients     int `json:"clients"`
	Rounds      int `json:"rounds"`      // cycles of each client
	Tries       int `json:"tries"`       // attempts of one acquire, a lease apart
	Preemptions int `json:"preemptions"` // how often a client that could act must wait for another
	// how often more than a moment passes while a message is in flight
	Expiries int `json:"expiries"`
	Faults   int `json:"faults"` // 0, or 1 for a fault at any place
}

// DefaultBounds find every known violation of a lock that polls, within seconds.
var DefaultBounds = Bounds{Clients: 3, Rounds: 1, Tries: 2, Preemptions: 2, Expiries: 1, Faults: 0}

// String describes the bounds, as in "3 clients, 2 expiries, 4 preemptions".
func (b Bounds) String() string {
	words := []string{
		units.Count(b.Clients, "client"), units.Count(b.Rounds, "round"),
		units.Count(b.Expiries, "expiry"), units.Count(b.Preemptions, "preemption"),
	}
	if b.Faults > 0 {
		words = append(words, units.Count(b.Faults, "fault")+" at any place")
	}
	return strings.Join(words, ", ")
}

// Covered reports how much an exhaustive search tried.
type Covered struct {
	Bounds    Bounds `json:"bounds"`
	Schedules int    `json:"schedules"` // schedules that ran to their end
	// schedules that were cut off at a state whose continuations had been run already
	Merged    int  `json:"merged"`
	Asleep    int  `json:"asleep,omitempty"` // branches that sleep sets pruned
	States    int  `json:"states"`           // distinct states
	Whole     bool `json:"whole"`            // everything within the bounds was tried
	Violating int  `json:"violating"`        // schedules with a violation
	// runs that failed and prove nothing
	HarnessErrors int    `json:"broke,omitempty"`
	Reason        string `json:"why,omitempty"`   // the reason why it is not whole
	Known         int    `json:"known,omitempty"` // branches that were found but not taken
}

// String returns the result in one line.
func (c Covered) String() string {
	all := "all "
	if !c.Whole {
		all = ""
	}
	merged := ""
	if c.Merged > 0 {
		merged = fmt.Sprintf(" (%s of them up to a state that was known)", units.Thousands(c.Merged))
	}
	found := "no violation in"
	if c.Violating > 0 {
		found = units.Thousands(c.Violating) + " violating of"
	}
	text := fmt.Sprintf("%s %s%s schedules%s of %s", found, all,
		units.Thousands(c.Schedules+c.Merged), merged, c.Bounds)
	if !c.Whole {
		text += "; not finished: " + c.Reason
		if c.Known > 0 {
			text += fmt.Sprintf(", with %s known and not taken", units.Count(c.Known, "way"))
		}
	}
	return text
}
