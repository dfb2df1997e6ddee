package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
)

// Sleep sets (Godefroid 1996). Two steps are independent if either order leads to the same state.
// Examples are two messages to different nodes, or two replies to different clients. Suppose a run
// can take a or t. The search explores all runs that begin with a, and then all that begin with t.
// In the latter, a sleeps: it is not taken after t, since "t, then a" equals "a, then t". It sleeps
// until a step is taken that is not independent of it.
//
// Soundness. Suppose that a run is pruned because it takes a, which has slept since a choice s. The
// run is s, u1 ... un, a, w. None of the u clashes with a, so s, a, u1 ... un, w is the same run in
// another order: it reaches the same state, and each client sees the same. It takes a at s, where a
// precedes u1 in the order of the options. If that run is pruned as well, the same argument applies
// to it, and the run that replaces it differs at an even earlier option. There are finitely many
// options, so that one of these runs is explored.
//
// Bounds. A bounded search loses runs if the explored order needs more of the bounds than the
// pruned one. Therefore a keeps sleeping after t only if "a, t" is at least as cheap as "t, a". One
// way is that "a, t" uses no more preemptions and the same client acts last, or neither last client
// can go on. The other way is that "a, t" uses one preemption less; then it does not matter which
// client acts last, because the next step costs at most one more. The search does not guess which
// options follow a step, because it saw them when the step was taken. Runs that have as much left
// of the bounds can reach the same states, so the argument above holds within the bounds. Expiries
// and faults are caused by time and by the fault alone, and so both orders use equally many.
//
// States. When a state is reached again, everything has been explored from there except the options
// that slept. Therefore a state remembers these options. The search explores only the options that
// slept at every earlier visit and are awake now. Only options that slept each time keep sleeping
// (states.visit). The argument above still holds, since it depends on the states between a and the
// u but not on how they were reached.
//
// Time and the waking of a client are independent of nothing, because the actions of a client after
// waking are not seen as one step. An event of a client, such as a grant, must not be swapped with
// an event of another client or with the start of the fault, since verdicts depend on their order.

// asleep is a step that was taken in another run, with its effects there.
type asleep struct {
	option  sim.Option
	touches []touch
	alone   bool         // it is independent of nothing
	after   []sim.Option // options that became possible by the step
}

// touch is a part of the state that a step reads or changes.
type touch struct {
	part    string
	changes bool
}

// injecting is the option that injects the fault. It precedes all others in the order of options.
const injecting = "inject"

// clashes reports whether the order of two steps may matter.
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

// at is the situation before a step.
type at struct {
	options []sim.Option // excludes time
	last    int
	used    int // preemptions so far
}

// keeps reports whether a keeps sleeping after t. The two must not clash. It does if "a, t" leads
// to the same state as "t, a" without using more of the limit of preemptions.
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

// take returns the cost of a step and the situation after it.
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

// preempts reports whether an option makes a client wait that could go on. That is the client that
// acted last, or a client whose other message would be taken first.
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

// Parts of the state besides nodes and clients, which go by their names.
const (
	events     = "events"     // the order of events of several clients
	confirming = " confirmed" // after a node's name: what its replicas have confirmed
	pushing    = " pushes"    // after a node's name: the messages that it pushes
)

// fault returns the step that starts a fault. The forms of anywhere.go that are not listed here may
// touch anything.
func fault(p harness.Plan) asleep {
	s := asleep{option: sim.Option{Name: injecting}, touches: []touch{{events, true}}}
	name, _, _ := strings.Cut(p.Nemesis, ":")
	if p.Masters > 1 {
		// A client talks to its masters from goroutines that start some nanoseconds apart. Which of them
		// a fault stops depends on earlier events.
		name = ""
	}
	switch name {
	case "pause", "suspend", "clock-client":
		s.touches = append(s.touches, touch{"c0", true})
	case "partition", "late", "request-loss", "reply-loss":
		s.touches = append(s.touches, touch{"c0", true}, touch{linksOf(0), true})
	case "crash": // each of its connections ends with a message
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

// seen collects the effects of a step while it is taken.
type seen struct {
	executed []sim.Execution
	events   int
	pushes   bool // a client has subscribed to something
}

// touched returns the parts of the state that the delivery of a message reads or changes.
func (s seen) touched(o sim.Option) (all []touch) {
	if s.events > 0 {
		all = append(all, touch{events, true})
	}
	all = append(all, touch{linksOf(o.Process), false})
	from, down, _ := strings.Cut(o.Name, ">")
	node, _, reply := strings.Cut(down, " reply.")
	switch {
	case reply && o.Process >= 0:
		// a command of the client at the node may queue another reply behind this one
		return append(all, touch{o.To, true}, touch{o.To + "@" + node, true},
			touch{node + pushing, false})
	case reply:
		all = append(all, touch{from + confirming, true})
		if len(s.executed) > 0 { // a client waited for the confirmation
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
