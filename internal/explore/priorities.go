package explore

import (
	"math/rand/v2"

	"github.com/lockbench/lockbench/internal/explore/simrun"
	"github.com/lockbench/lockbench/internal/sim"
)

// priorities is a schedule by priorities (PCT, Burckhardt et al. 2010): each client has one, the
// highest that can goes on, and at a few points chosen at random the first client becomes the last.
// So a race that needs few switches is found with a probability that does not depend on how long
// the run is. The passing of time has a priority, too.
type priorities struct {
	sim.Recorded // no deviations: what it decides, it decides by Pick
	simrun.Questions
	rand    *rand.Rand
	rank    map[int]float64 // by process; the highest goes first
	changes map[int]bool    // numbers of the picks at which the first becomes the last
	count   int
	answers map[string]int
}

// The number of picks among which the change points are drawn, and how many at most.
const (
	changeWithin = 120
	changeMost   = 5
)

func newPriorities(seed uint64, answers map[string]int) *priorities {
	r := rand.New(rand.NewPCG(seed, 0x9c7))
	p := &priorities{rand: r, rank: map[int]float64{}, changes: map[int]bool{}, answers: answers}
	for range 1 + r.IntN(changeMost) {
		p.changes[r.IntN(changeWithin)] = true
	}
	return p
}

// passing stands for time among the processes.
const passing = -2

// who acts if an option is taken.
func who(o sim.Option) int {
	if o.Name == sim.Time {
		return passing
	}
	return o.Process
}

// priority of who has not got one yet is drawn; time begins as the last.
func (p *priorities) priority(process int) float64 {
	r, ok := p.rank[process]
	if !ok {
		r = p.rand.Float64()
		if process == passing {
			r = -1
		}
		p.rank[process] = r
	}
	return r
}

// Pick is sim.Picker.
func (p *priorities) Pick(_ *sim.Environment, options []sim.Option) int {
	name := p.Name(options)
	if p.changes[p.count] {
		first := who(options[p.best(options)])
		p.rank[first] = -float64(p.count) - 2
		if p.rand.IntN(3) == 0 {
			p.rank[passing] = 2 // once
		}
	}
	p.count++
	c := p.best(options)
	if who(options[c]) == passing {
		p.rank[passing] = -1
	}
	if c > 0 {
		p.answers[name] = c
	}
	return c
}

func (p *priorities) best(options []sim.Option) int {
	best := 0
	for i, o := range options {
		if p.priority(who(o)) > p.priority(who(options[best])) {
			best = i
		}
	}
	return best
}
