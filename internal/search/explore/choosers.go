package explore

import (
	"math/rand/v2"
	"slices"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// The ways to choose a schedule.
const (
	Portfolio = "portfolio" // the others in turn; one that finds more new states gets more turns
	Random    = "random"    // each message takes a random time
	POS       = "pos"       // messages have random priorities; messages that race draw new ones
	Walk      = "walk"      // each step is drawn uniformly from the possible steps
)

// members lists the schedules of the portfolio.
var members = []string{Random, POS, Walk}

// Schedules returns the names of all schedules. The first is the default.
func Schedules() []string { return append([]string{Portfolio}, members...) }

// kind returns the name of the schedule in a counterexample.
func kind(schedule string) string {
	if schedule == Random {
		return counterexample.Timed
	}
	return counterexample.Picked
}

// scheduleFor returns a schedule of a kind. The seed selects one if there are several.
func scheduleFor(kind string, seed uint64) string {
	if kind == counterexample.Timed {
		return Random
	}
	return []string{POS, Walk}[seed%2]
}

// randomChooser returns a chooser that answers at random. It records its answers in the map that it
// returns.
func randomChooser(schedule string, p harness.Plan, seed uint64) (c sim.Chooser,
	answers map[string]int) {
	answers = map[string]int{}
	if schedule == Random {
		return recording{sim.Seeded{Seed: seed}, answers}, answers
	}
	d := newWalk(p, rand.New(rand.NewPCG(seed, 0x9c7)))
	d.answers = answers
	if schedule == POS {
		d.priorities = map[string]float64{}
	}
	return d, answers
}

// recording records the answers of a chooser except zeros.
type recording struct {
	sim.Chooser
	answers map[string]int
}

// Choose implements sim.Chooser.
func (r recording) Choose(width int, label, key string) int {
	c := r.Chooser.Choose(width, label, key)
	if c > 0 {
		r.answers[key] = c
	}
	return c
}

// drawnOrder is a schedule without message delays. It draws the next event from the possible ones.
// In POS (partial order sampling, Yuan et al. 2018) each message has a random priority, and the
// message with the highest goes next. The messages that race with it then draw new priorities, so
// that no order of two racing messages is much rarer than the other. In a walk each draw is
// uniform.
type drawnOrder struct {
	sim.Recorded // without deviations, because Pick makes all decisions
	simrun.Questions
	rand       *rand.Rand
	priorities map[string]float64 // by the name of the message; nil for a walk
	answers    map[string]int
	patience   int64 // the longest delay of a message, in ns
}

// passShare is how often time passes although a message is in flight, so that the message is late.
// The delay is at most a lease divided by lateShare, since a longer delay would be a fault.
const (
	passShare = 0.01
	lateShare = 10
)

func newWalk(p harness.Plan, r *rand.Rand) *drawnOrder {
	return &drawnOrder{rand: r, answers: map[string]int{},
		patience: int64(p.Leases.Least(p.TTL)) / lateShare}
}

// Pick implements sim.Picker.
func (d *drawnOrder) Pick(_ *sim.Environment, options []sim.Option) int {
	name, c := d.Name(options), d.draw(options)
	if c > 0 {
		d.answers[name] = c
	}
	return c
}

// draw returns the index of the next event. Time passes, and a client wakes, only if no message is
// too late then.
func (d *drawnOrder) draw(options []sim.Option) int {
	may := make([]int, 0, len(options))
	for i, o := range options {
		switch {
		case o.Name == sim.Time && len(options) > 1:
			if d.rand.Float64() < passShare && d.tolerates(options[:i], o.At) {
				return i
			}
		case !wakes(o) || d.tolerates(options, o.At):
			may = append(may, i)
		}
	}
	if d.priorities == nil {
		return may[d.rand.IntN(len(may))]
	}
	return d.highest(options, may)
}

// tolerates reports whether no message would be too late if it arrived at a time.
func (d *drawnOrder) tolerates(options []sim.Option, at int64) bool {
	return !slices.ContainsFunc(options, func(o sim.Option) bool {
		return !wakes(o) && o.Name != sim.Time && o.At > 0 && at-o.At > d.patience
	})
}

// highest picks the option with the highest priority. May lists the indexes to pick from. The
// picked option and the options that race with it lose their priorities.
func (d *drawnOrder) highest(options []sim.Option, may []int) (best int) {
	best = may[0]
	for _, i := range may {
		name := options[i].Name
		if _, ok := d.priorities[name]; !ok {
			d.priorities[name] = d.rand.Float64()
		}
		if d.priorities[name] > d.priorities[options[best].Name] {
			best = i
		}
	}
	for i, o := range options {
		if i == best || o.Races(options[best]) {
			delete(d.priorities, o.Name)
		}
	}
	return best
}
