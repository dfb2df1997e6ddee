package explore

import (
	"context"
	"slices"

	"github.com/lockbench/lockbench/internal/explore/counterexample"
	"github.com/lockbench/lockbench/internal/explore/simrun"
	"github.com/lockbench/lockbench/internal/sim"
)

// follower chooses the order of a run: it follows a prefix, takes the default from there on, and
// notes each prefix within the bounds that branches off. Where it comes to a state that some run
// has reached before, it ends the run: what follows from that state is gone through from there.
type follower struct {
	sim.Recorded // nothing but the order is left open
	simrun.Questions
	simrun.Injection
	prefix  prefix
	limit   Bounds
	cut     context.CancelFunc // ends the run
	states  *states            // nil: no hashing
	replied map[int]uint64     // by client: hash of what nodes have replied to it, arrived or not
	answers map[string]int

	chosen   []int
	used     Bounds // of the limits
	injected int64  // when the fault was, in ms
	last     int    // the process that went last
	branches []prefix
	merged   bool
}

// executed takes each command: its reply is under way from now on.
func (f *follower) executed(x sim.Execution) {
	f.replied[x.Client] = walked(f.replied[x.Client], x)
}

// CanInject is sim.Injector.
func (f *follower) CanInject() bool { return f.Armed() && f.used.Faults < f.limit.Faults }

// Pick is sim.Picker. Beside the options that it is given there is one more: the fault, now.
func (f *follower) Pick(w *sim.Environment, options []sim.Option) int {
	name, c := f.Name(options), 0
	if n := len(f.chosen); n < len(f.prefix.choices) {
		c = f.prefix.choices[n]
	} else if f.states != nil && !f.states.add(f.state(w)) {
		f.merged = true
		f.cut()
		return 0
	} else {
		f.branch(options)
	}
	f.chosen = append(f.chosen, c)
	f.used = f.after(options, c)
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

// branch notes the prefixes that are not followed here.
func (f *follower) branch(options []sim.Option) {
	n := len(options)
	if f.CanInject() {
		n++
	}
	for c := 1; c < n; c++ {
		if f.after(options, c).within(f.limit) {
			f.branches = append(f.branches, prefix{f.prefix.plan,
				append(slices.Clip(slices.Clone(f.chosen)), c)})
		}
	}
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

// after is how much of the bounds is used if option c is taken. A process that could go on and must
// wait is preempted, by another client or by another message of the same one, such as its
// watchdog's. Where time passes while messages are under way, no process is preempted, but a
// message is late.
func (f *follower) after(options []sim.Option, c int) Bounds {
	u := f.used
	switch {
	case c == len(options):
		u.Faults++
	case len(options) == 1: // there is nothing else to do
	case who(options[c]) == passing:
		u.Expiries++
	case options[0].Process == f.last && options[c].Process != f.last, overtakes(options, c):
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
func (f *follower) state(w *sim.Environment) uint64 {
	h := mix(w.Fingerprint(), uint64(f.prefix.plan))
	for c := range f.limit.Clients {
		h = mix(h, f.replied[c])
	}
	for _, n := range []int{f.used.Preemptions, f.used.Expiries, f.used.Faults, f.last,
		int(f.injected)} {
		h = mix(h, uint64(n))
	}
	return h
}

// mix is a step of a hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0xbf58476d1ce4e5b9
	return h ^ h>>29
}
