package explore

import (
	"context"
	"slices"

	"github.com/lockbench/lockbench/internal/sim"
)

// scout follows a path, then goes the dullest way, and notes every other way within the bounds that
// it passes. Where it comes to a state that somebody has been in already, it turns back: what
// follows from there is, or will be, gone through from there.
type scout struct {
	sim.Recorded // nothing but the order is left open
	naming
	path    way
	limit   Bounds
	cut     context.CancelFunc // ends the run
	states  *states            // nil: no hashing
	rec     *recorder
	told    map[int]uint64 // by client: hash of what nodes have replied to it, arrived or not
	answers map[string]int

	picked []int
	used   Bounds // of the limits
	struck int64  // when the fault struck, in ms
	last   int    // the process that went last
	forks  []way
	merged bool
}

func (s *scout) tap(r *recorder) { s.rec = r }

// executed is told each command: what its reply says is under way from now on.
func (s *scout) executed(x sim.Execution) {
	w := walk{hash: s.told[x.Client]}
	s.told[x.Client] = w.step(x)
}

// Strikes is sim.Striker.
func (s *scout) Strikes() bool { return s.rec.armed != nil && s.used.Faults < s.limit.Faults }

// Pick is sim.Picker. Beside the options that it is given there is one more: the fault strikes now.
func (s *scout) Pick(w *sim.Environment, options []sim.Option) int {
	name, c := s.name(options), 0
	if n := len(s.picked); n < len(s.path.picks) {
		c = s.path.picks[n]
	} else if s.states != nil && !s.states.add(s.state(w)) {
		s.merged = true
		s.cut()
		return 0
	} else {
		s.fork(options)
	}
	s.picked = append(s.picked, c)
	s.used = s.after(options, c)
	if c == len(options) {
		s.answers[struck(name)] = 1
		s.struck = w.Now() / 1e6
		s.rec.reach()
		return sim.Again
	}
	if c > 0 {
		s.answers[name] = c
	}
	s.last = who(options[c])
	return c
}

// fork notes the ways that are not taken here.
func (s *scout) fork(options []sim.Option) {
	n := len(options)
	if s.Strikes() {
		n++
	}
	for c := 1; c < n; c++ {
		if s.after(options, c).within(s.limit) {
			s.forks = append(s.forks, way{s.path.plan, append(slices.Clip(slices.Clone(s.picked)), c)})
		}
	}
}

// after is what is used of the bounds if option c is taken. Who could go on and must wait is
// preempted, be it another client or another message of the same one, such as its watchdog's; who
// waits for nothing is not. That time passes is no preemption, but a message is late.
func (s *scout) after(options []sim.Option, c int) Bounds {
	u := s.used
	switch {
	case c == len(options):
		u.Faults++
	case len(options) == 1: // there is nothing else to do
	case who(options[c]) == passing:
		u.Expiries++
	case options[0].Process == s.last && options[c].Process != s.last, overtakes(options, c):
		u.Preemptions++
	}
	return u
}

// overtakes reports whether the option goes before another of the same client.
func overtakes(options []sim.Option, c int) bool {
	return slices.ContainsFunc(options[:c], func(o sim.Option) bool {
		return o.Process == options[c].Process
	})
}

func (b Bounds) within(limit Bounds) bool {
	return b.Preemptions <= limit.Preemptions && b.Expiries <= limit.Expiries &&
		b.Faults <= limit.Faults
}

// state is a hash of all that the rest of the run depends on: the environment's, what replies under
// way say, what is left of the bounds, and the fault.
func (s *scout) state(w *sim.Environment) uint64 {
	h := mix(w.Fingerprint(), uint64(s.path.plan))
	for c := range s.limit.Clients {
		h = mix(h, s.told[c])
	}
	for _, n := range []int{s.used.Preemptions, s.used.Expiries, s.used.Faults, s.last,
		int(s.struck)} {
		h = mix(h, uint64(n))
	}
	return h
}

// mix is a step of a hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0xbf58476d1ce4e5b9
	return h ^ h>>29
}
