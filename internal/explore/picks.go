package explore

import (
	"fmt"
	"math/rand/v2"

	"github.com/lockbench/lockbench/internal/sim"
)

// picks goes on with the client that acted last, except where a deviation says otherwise: it is a
// Picked schedule done again.
//
// A question is named by the message that would arrive next by itself, and, from the second time
// that it is asked, by how often it has been: "c0>n0.12", "c0>n0.12 ~2". So most names stay what
// they are when another deviation is taken away.
type picks struct {
	sim.Recorded
	naming
	rec *recorder // who can strike; nil: nobody
}

// struck names the deviation that a fault strikes before a question is asked.
func struck(question string) string { return "strike before " + question }

// Strikes is sim.Striker.
func (p *picks) Strikes() bool { return p.rec != nil && p.rec.armed != nil }

// Pick is sim.Picker.
func (p *picks) Pick(_ *sim.Environment, options []sim.Option) int {
	name := p.name(options)
	if p.Recorded[struck(name)] > 0 && p.rec != nil && p.rec.reach() {
		return sim.Again
	}
	return min(p.Recorded[name], len(options)-1)
}

// naming gives names to the questions of a Picked schedule.
type naming struct{ asked map[string]int }

func (n *naming) name(options []sim.Option) string {
	if n.asked == nil {
		n.asked = map[string]int{}
	}
	name := "next " + options[0].Name
	n.asked[name]++
	if times := n.asked[name]; times > 1 {
		return fmt.Sprintf("%s ~%d", name, times)
	}
	return name
}

// priorities is a schedule by priorities (PCT, Burckhardt et al. 2010): each client has one, the
// highest that can goes on, and at a few points chosen at random whoever is first becomes the last.
// So a race that needs few switches is found with a probability that does not depend on how long
// the run is. That time passes has a priority, too.
type priorities struct {
	sim.Recorded // no deviations: what it decides, it decides by picks
	naming
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
	name := p.name(options)
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
