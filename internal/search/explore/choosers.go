package explore

import (
	"math/rand/v2"
	"slices"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// How schedules are chosen.
const (
	Portfolio = "portfolio" // those below by turns; who finds more new states has more turns
	Random    = "random"    // each message takes a random time
	POS       = "pos"       // messages have random priorities; those that race draw anew
	Walk      = "walk"      // uniform over what can go on
)

// members are the schedules of the portfolio.
var members = []string{Random, POS, Walk}

// Schedules are the names of all schedules, the default first.
func Schedules() []string { return append([]string{Portfolio}, members...) }

// kind is the schedule as a counterexample names it.
func kind(schedule string) string {
	if schedule == Random {
		return counterexample.Timed
	}
	return counterexample.Picked
}

// fresh is a schedule of a kind, another one for each seed.
func fresh(kind string, seed uint64) string {
	if kind == counterexample.Timed {
		return Random
	}
	return []string{POS, Walk}[seed%2]
}

// randomChooser answers at random for a plan, and keeps in answers what it answered.
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

// recording keeps the answers of a chooser that are not 0.
type recording struct {
	sim.Chooser
	answers map[string]int
}

// Choose is sim.Chooser.
func (r recording) Choose(width int, label, key string) int {
	c := r.Chooser.Choose(width, label, key)
	if c > 0 {
		r.answers[key] = c
	}
	return c
}

// drawnOrder is a schedule in which messages take no time: what happens next is drawn among what
// can happen. In POS (partial order sampling, Yuan et al. 2018) each message has a random priority,
// and the highest goes; those that race with it draw anew, so that no order of two messages that
// race is much rarer than the other. In a walk each draw is uniform.
type drawnOrder struct {
	sim.Recorded // no deviations: what it decides, it decides by Pick
	simrun.Questions
	rand       *rand.Rand
	priorities map[string]float64 // by name of the message; nil: a walk
	answers    map[string]int
	patience   int64 // how late a message may be, ns
}

// passShare is how often time passes although a message is under way: it is late then, by not more
// than a tenth of a lease: later is a fault, which this is not.
const (
	passShare = 0.01
	lateShare = 10
)

// newWalk is a walk of a plan.
func newWalk(p harness.Plan, r *rand.Rand) *drawnOrder {
	return &drawnOrder{rand: r, answers: map[string]int{}, patience: int64(p.TTL) / lateShare}
}

// Pick is sim.Picker.
func (d *drawnOrder) Pick(_ *sim.Environment, options []sim.Option) int {
	name, c := d.Name(options), d.draw(options)
	if c > 0 {
		d.answers[name] = c
	}
	return c
}

// draw is the number of what happens next. That time passes is the last of the options, if it is
// one of them.
func (d *drawnOrder) draw(options []sim.Option) int {
	last := len(options) - 1
	switch passes := options[last].Name == sim.Time; {
	case passes && d.rand.Float64() < passShare && d.soon(options[:last], options[last].At):
		return last
	case passes:
		options = options[:last]
	}
	if d.priorities == nil {
		return d.rand.IntN(len(options))
	}
	return d.highest(options)
}

// soon reports whether no message is too late when it arrives at a time.
func (d *drawnOrder) soon(options []sim.Option, at int64) bool {
	return !slices.ContainsFunc(options, func(o sim.Option) bool {
		return o.At > 0 && at-o.At > d.patience
	})
}

// highest is the number of the option with the highest priority, which is used up with it; those
// that race with it lose theirs.
func (d *drawnOrder) highest(options []sim.Option) (best int) {
	for i, o := range options {
		if _, ok := d.priorities[o.Name]; !ok {
			d.priorities[o.Name] = d.rand.Float64()
		}
		if d.priorities[o.Name] > d.priorities[options[best].Name] {
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
