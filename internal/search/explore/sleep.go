package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
)

// Sleep sets (Godefroid 1996). Two steps are independent if either order leads to the same state: a
// message to one node and a message to another, a reply to one client and a reply to another. Where
// a run could take a or t, all that begins with a is gone through, and then all that begins with t.
// There a sleeps: after t it is not taken, since "t, then a" is "a, then t" again. It sleeps until
// a step is taken that is not independent of it.
//
// Why nothing is lost. Say that a run is left out because it takes a, which has slept since a
// choice s: it is s, u1 ... un, a, w. None of the u clashes with a, so that s, a, u1 ... un, w is
// the same run in another order: it comes to the same state, and each client sees the same. It took
// a at s, which comes before u1 in the order of the options at s. If that one is left out as well,
// the same holds of it, and the run in its place differs at an earlier option still; there are
// finitely many, so that one of them is gone through.
//
// Bounds. A bounded search loses something if the other order needs more of the bounds than the one
// that is left out. So a sleeps on after t only if "a, t" is worth as much as "t, a" where t is
// taken: it uses no more preemptions, and the same client goes last or none that could go on; or a
// preemption less, and whichever goes last (what comes next costs at most one more then). What can
// go on after a step is not guessed: it was seen when the step was taken. From a run with as much
// left of the bounds everything can be had that can be had from the other, so that the argument
// above holds within the bounds. Expiries and faults are used by time and by the fault: as many in
// each order.
//
// States. A state that is reached again is gone through already, but for what slept then. So a
// state remembers that: what slept at every visit before and is awake now is all that is gone
// through from there, and only what slept both times sleeps on (states.visit). The argument holds,
// since what is said above of a and the u is said of the states between them and not of how they
// were reached.
//
// Time and a client that wakes are independent of nothing: what a client does then is not seen as
// one step. A client's event, such as that it is inside, is no step to be put on the other side of
// another client's event or of the fault's beginning, since verdicts look at their order.

// asleep is a step that was taken elsewhere, and what it did there.
type asleep struct {
	option  sim.Option
	touches []touch
	alone   bool         // it is independent of nothing
	after   []sim.Option // what could happen after it and could not before
}

// touch is a part of the state that a step depends on, or changes.
type touch struct {
	part    string
	changes bool
}

// injecting is the option that the fault happens. It goes before all others in the order of
// options.
const injecting = "inject"

// clashes reports whether the order of two steps may make a difference.
func (a asleep) clashes(t asleep) bool {
	if a.alone || t.alone {
		return true
	}
	return slices.ContainsFunc(a.touches, func(x touch) bool {
		return slices.ContainsFunc(t.touches, func(y touch) bool {
			return x.part == y.part && (x.changes || y.changes)
		})
	})
}

// at is where a step was taken.
type at struct {
	options []sim.Option // without time
	last    int
	used    int // preemptions
}

// keeps reports whether a, which could be taken here, too, sleeps on after t, which does not clash
// with it: "a, t" leads to where "t, a" leads, with as much left of a limit of preemptions.
func (w at) keeps(a, t asleep, limit int) bool {
	first, afterA := w.take(a)
	second, afterT := w.take(t)
	more, lastAT := afterA.take(t)
	less, lastTA := afterT.take(a)
	first, second = first+more, second+less
	if w.used+first > limit {
		return false
	}
	same := lastAT.last == lastTA.last || !goesOn(lastAT.options, lastAT.last) &&
		!goesOn(lastAT.options, lastTA.last)
	return same && first <= second || first < second
}

// take is what a step costs, and where it leads.
func (w at) take(s asleep) (cost int, next at) {
	next.options = append(slices.DeleteFunc(slices.Clone(w.options), func(o sim.Option) bool {
		return o.Name == s.option.Name
	}), s.after...)
	if next.last = w.last; s.option.Name == injecting {
		return 0, next
	}
	next.last = s.option.Process
	if preempts(w.options, w.last, s.option) {
		cost = 1
	}
	return cost, next
}

func goesOn(options []sim.Option, process int) bool {
	return slices.ContainsFunc(options, func(o sim.Option) bool { return o.Process == process })
}

// preempts reports whether a client that could go on must wait for the option: the one that went
// last, for another client, or a message of the same client that would be taken before.
func preempts(options []sim.Option, last int, o sim.Option) bool {
	return slices.ContainsFunc(options, func(x sim.Option) bool {
		switch {
		case x.Name == o.Name || x.Name == sim.Time:
			return false
		case x.Process == last && o.Process != last:
			return true
		}
		return x.Process == o.Process && !wakes(x) && (wakes(o) || x.Name < o.Name)
	})
}

func wakes(o sim.Option) bool { return strings.Contains(o.Name, " wakes.") }

// Parts of the state, beside nodes and clients, which have their names.
const (
	events     = "events"     // the order of events of several clients
	confirming = " confirmed" // after a node's name: what its replicas have confirmed
	pushing    = " pushes"    // after a node's name: what it sends unasked
)

// fault is the step in which a fault begins. All others that have a form (anywhere.go) touch
// whatever they like.
func fault(p harness.Plan) asleep {
	s := asleep{option: sim.Option{Name: injecting}, touches: []touch{{events, true}}}
	name, _, _ := strings.Cut(p.Nemesis, ":")
	if p.Masters > 1 {
		// a client asks its masters by goroutines that begin some nanoseconds apart: which of them a
		// fault stops depends on what happened before
		name = ""
	}
	switch name {
	case "pause", "clock-client":
		s.touches = append(s.touches, touch{"c0", true})
	case "partition", "late", "request-loss", "reply-loss":
		s.touches = append(s.touches, touch{"c0", true}, touch{linksOf(0), true})
	case "crash": // its connections end, each with a message
		s.touches = append(s.touches, touch{"c0", true}, touch{linksOf(0), true})
		s.after = []sim.Option{{Process: 0}}
	case "clock-server", "node-pause", "busy":
		for i := range max(p.Masters, 1) {
			s.touches = append(s.touches, touch{fmt.Sprintf("n%d", i), true})
		}
	default:
		s.alone = true
	}
	return s
}

func linksOf(client int) string { return fmt.Sprintf("links of c%d", client) }

// seen is what was seen of a step while it was taken.
type seen struct {
	executed []sim.Execution
	events   int
	pushes   bool // a client has subscribed to something
}

// touched is what a step of a message depends on and changes.
func (s seen) touched(o sim.Option) (all []touch) {
	if s.events > 0 {
		all = append(all, touch{events, true})
	}
	all = append(all, touch{linksOf(o.Process), false})
	from, down, _ := strings.Cut(o.Name, ">")
	node, _, reply := strings.Cut(down, " reply.")
	switch {
	case reply && o.Process >= 0:
		// a command of the client there may put one more reply behind this one
		return append(all, touch{o.To, true}, touch{o.To + "@" + node, true},
			touch{node + pushing, false})
	case reply:
		all = append(all, touch{from + confirming, true})
		if len(s.executed) > 0 { // a client waited for it
			all = append(all, touch{from, true})
		}
		return all
	}
	writes, pushes := len(s.executed) == 0, false
	for _, x := range s.executed {
		name := strings.ToLower(x.Args[0])
		quiet := slices.Contains([]string{"get", "pttl", "ttl", "exists", "set", "setnx", "eval",
			"evalsha"}, name)
		script := strings.HasPrefix(name, "eval")
		writes = writes || x.Wrote || !quiet || script && s.pushes
		pushes = pushes || s.pushes && (script || !quiet)
		if name == "wait" {
			all = append(all, touch{o.To + confirming, true})
		}
	}
	if pushes {
		all = append(all, touch{o.To + pushing, true})
	}
	if o.Process >= 0 {
		all = append(all, touch{fmt.Sprintf("c%d@%s", o.Process, o.To), true})
	}
	return append(all, touch{o.To, writes})
}
