package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// follower chooses the order of a run. It follows a prefix, then always takes the first open
// option, and records each prefix within the bounds that branches off. It ends the run when all
// continuations are explored elsewhere, because the state is known or the remaining options sleep.
type follower struct {
	sim.Recorded // only the order is left open
	simrun.Questions
	simrun.Injection
	prefix  prefix
	fault   *asleep // if nil, nothing sleeps
	clashes func(a, t asleep) bool
	limit   Bounds
	cut     context.CancelFunc // ends the run
	states  *states            // if nil, states are not hashed
	replied map[string]uint64  // hash of the replies by client and node, delivered or not
	answers map[string]int

	chosen   []int
	used     Bounds // how much of limit is used
	injected int64  // when the fault struck, in ms
	last     int    // the process that acted last
	inside   uint64 // hash of who acquired and released the lock, in order
	branches []prefix
	merged   bool

	sleeping []asleep
	slept    int  // options that were not taken because they sleep
	step     step // the latest step
	seen     seen // the effects of the latest step
}

// step is a step that was taken at or after the end of the prefix.
type step struct {
	at
	taken asleep
	now   int64 // ms
	known bool  // something sleeps, or may
	rest  []int // further options at this choice
	slept []asleep
	depth int // number of choices before this one
}

// executed handles the execution of a command. Its reply is in flight from now on.
func (f *follower) executed(x sim.Execution) {
	to := fmt.Sprint(x.Client, x.Node)
	f.replied[to] = walked(f.replied[to], x)
	f.seen.executed = append(f.seen.executed, x)
	f.seen.pushes = f.seen.pushes || strings.EqualFold(x.Args[0], "subscribe")
}

// happened handles an event. The order of the clients that held the lock is part of the state,
// since verdicts depend on it.
func (f *follower) happened(e history.Event) {
	if e.Process < 0 {
		return
	}
	f.seen.events++
	switch phase := counterexample.PhaseOf(e); {
	case phase == counterexample.Granted, phase == counterexample.Release, e.Type == history.Lost,
		e.Type == history.Kill:
		f.inside = mix(text(f.inside, phase+string(e.Type)), uint64(e.Process))
	}
}

// Prunes implements sim.Pruner.
func (f *follower) Prunes() {}

// CanInject implements sim.Injector.
func (f *follower) CanInject() bool {
	return f.Injection.CanInject() && f.used.Faults < f.limit.Faults
}

// Pick implements sim.Picker. Besides the given options it may choose to inject the fault now.
func (f *follower) Pick(w *sim.Environment, options []sim.Option) int {
	f.observe(w, options)
	name, c := f.Name(options), 0
	f.step.rest = nil
	switch n := len(f.chosen); {
	case n < len(f.prefix.choices):
		if c = f.prefix.choices[n]; n == len(f.prefix.choices)-1 {
			f.sleeping, f.step.rest = f.prefix.asleep, f.prefix.rest
		}
	default:
		ways := f.openWays(w, options)
		if len(ways) == 0 {
			f.merged = true
			f.cut()
			return 0
		}
		c, f.step.rest = ways[0], ways[1:]
	}
	return f.take(w, name, options, c)
}

func (f *follower) take(w *sim.Environment, name string, options []sim.Option, c int) int {
	f.note(w, options, c)
	f.chosen = append(f.chosen, c)
	f.used = f.usedAfter(options, c)
	if c == len(options) {
		f.answers[counterexample.InjectBefore+name] = 1
		f.injected = w.Now() / 1e6
		f.Inject()
		return sim.Again
	}
	if c > 0 {
		f.answers[name] = c
	}
	f.last = who(options[c])
	return c
}

// openWays returns the options within the bounds that must be explored from here. In a new state,
// these are the options that do not sleep. In a known state, they are the options that slept at
// every earlier visit and are awake now. If the fault is not the first of them, it branches off
// here and sleeps in all others.
func (f *follower) openWays(w *sim.Environment, options []sim.Option) (ways []int) {
	n := len(options)
	if f.CanInject() {
		n++
	}
	var names []string
	for _, a := range f.sleeping {
		names = append(names, a.option.Name)
	}
	slices.Sort(names)
	fresh, woken := true, []string(nil)
	if f.states != nil {
		var both []string
		fresh, woken, both = f.states.visit(f.state(w, options), names)
		f.sleeping = slices.DeleteFunc(slices.Clone(f.sleeping), func(a asleep) bool {
			return !slices.Contains(both, a.option.Name)
		})
	}
	for c := range n {
		name := injecting
		if c < len(options) {
			name = options[c].Name
		}
		switch sleeps := slices.Contains(names, name); {
		case !f.usedAfter(options, c).fits(f.limit), !fresh && !slices.Contains(woken, name):
		case fresh && sleeps:
			f.slept++
		case name == injecting && f.fault != nil && len(ways) > 0:
			f.branch(len(f.chosen), c, nil, f.sleeping)
			f.sleeping = append(slices.Clip(f.sleeping), *f.fault)
		default:
			ways = append(ways, c)
		}
	}
	return ways
}

// branch records a prefix that this run does not follow.
func (f *follower) branch(depth, c int, rest []int, sleeping []asleep) {
	f.branches = append(f.branches, prefix{plan: f.prefix.plan,
		choices: append(slices.Clone(f.chosen[:depth]), c), rest: rest, asleep: sleeping})
}

// note records the situation before a step, so that observe can find out what the step does.
func (f *follower) note(w *sim.Environment, options []sim.Option, c int) {
	s := &f.step
	s.known = len(f.chosen) >= len(f.prefix.choices)-1
	s.depth, s.slept, s.now = len(f.chosen), f.sleeping, w.Now()/1e6
	s.at = at{slices.DeleteFunc(slices.Clone(options), func(o sim.Option) bool {
		return o.Name == sim.Time
	}), f.last, f.used.Preemptions}
	if c == len(options) {
		s.taken = asleep{alone: true}
		if f.fault != nil {
			s.taken = *f.fault
		}
	} else {
		s.taken = asleep{option: options[c], alone: options[c].Name == sim.Time || wakes(options[c])}
	}
	f.seen.executed, f.seen.events = nil, 0
}

// observe finds out the effects of the latest step from the options after it. It determines which
// sleepers keep sleeping, and what sleeps in the options that were not taken.
func (f *follower) observe(w *sim.Environment, options []sim.Option) {
	s := &f.step
	if !s.known {
		return
	}
	if w.Now()/1e6 != s.now { // time has passed by itself
		s.taken.alone = true
	}
	if s.taken.option.Name != injecting {
		s.taken.touches = f.seen.touched(s.taken.option)
		s.taken.after = slices.DeleteFunc(slices.Clone(options), func(o sim.Option) bool {
			return o.Name == sim.Time || slices.ContainsFunc(s.options, func(x sim.Option) bool {
				return x.Name == o.Name
			})
		})
	}
	f.sleeping = nil
	for _, a := range s.slept {
		if !f.clashes(a, s.taken) && s.keeps(a, s.taken, f.limit.Preemptions) {
			f.sleeping = append(f.sleeping, a)
		}
	}
	f.branchNext(!s.taken.alone && f.fault != nil)
}

// branchNext records a branch to the next option that the latest step left out. If sleeps is true,
// the option that was taken sleeps there.
func (f *follower) branchNext(sleeps bool) {
	s := &f.step
	if s.known && len(s.rest) > 0 {
		sleeping := s.slept
		if sleeps {
			sleeping = append(slices.Clip(sleeping), s.taken)
		}
		f.branch(s.depth, s.rest[0], s.rest[1:], sleeping)
	}
	s.known = false
}

// passing represents time among the processes.
const passing = -2

// who returns the process that acts if an option is taken.
func who(o sim.Option) int {
	if o.Name == sim.Time {
		return passing
	}
	return o.Process
}

// usedAfter returns how much of the bounds is used once option c is taken. A process that could act
// but must wait is preempted, either by another client or by another message of its own client,
// such as one from the watchdog. If time passes while messages are in flight, no process is
// preempted, but a message is late.
func (f *follower) usedAfter(options []sim.Option, c int) Bounds {
	u := f.used
	switch {
	case c == len(options):
		u.Faults++
	case len(options) == 1: // there is only one choice
	case who(options[c]) == passing:
		u.Expiries++
	case preempts(options, f.last, options[c]):
		u.Preemptions++
	}
	return u
}

func (b Bounds) fits(limit Bounds) bool {
	return b.Preemptions <= limit.Preemptions && b.Expiries <= limit.Expiries &&
		b.Faults <= limit.Faults
}

// state returns a hash of everything that the rest of the run depends on: the environment, the
// replies in flight, the used bounds, the process that acted last if it could go on, the fault, and
// the order of the lock's holders.
func (f *follower) state(w *sim.Environment, options []sim.Option) uint64 {
	h := mix(mix(w.Fingerprint(), uint64(f.prefix.plan)), f.inside)
	replies := uint64(0)
	for to, said := range f.replied {
		replies += mix(text(said, to), 0) // in any order
	}
	last := f.last
	if !goesOn(options, last) {
		last = passing
	}
	for _, n := range []int{f.used.Preemptions, f.used.Expiries, f.used.Faults, last,
		int(f.injected)} {
		h = mix(h, uint64(n))
	}
	return mix(h, replies)
}

// mix adds a value to a hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0xbf58476d1ce4e5b9
	return h ^ h>>29
}

func text[T string | []byte](h uint64, s T) uint64 {
	for i := range len(s) {
		h = mix(h, uint64(s[i]))
	}
	return h
}
