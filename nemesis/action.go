package nemesis

import (
	"fmt"
	"slices"
	"strings"
)

// Action is a row of the table of actions: all that is known of what a step does. Plan checks,
// environments, the harness, explore, checker and reports read it, so a new action is one row.
type Action struct {
	Name   string // field do of a step, and f of a fault in a history
	Kind   Kind
	Target TargetKind
	Undo   []string // the actions that end its effect; none: it lasts, or never did
	Stops  bool     // the target does nothing until the effect ends
	Kills  bool     // the target is gone until the effect ends
	Dead   bool     // the target must have been killed before
	// doing it again replaces the effect, and doing it by nothing ends it: a clock is set
	Again  bool
	Family Family     // of an action on a link
	Breaks Assumption // what it takes away from a lock
	// What happened, for stories, timelines and headlines: at the begin of a fault and, if worth
	// telling, at its end. %s is the target.
	Begin, End string
	Hits       string // what of its target it hits, with %s for the target's name; "": the target

	may, must string     // the fields, besides the target, that a step may and must have
	by        capability // carries it out; the zero value: the harness does it itself
}

// Kind is what an action is to a run.
type Kind int

// The kinds of actions.
const (
	Course    Kind = iota // it concerns the order of things only
	Momentary             // a fault: it changes the environment under the clients; over when done
	Lasting               // a fault whose effect goes on until it is undone or the run ends
	Repair                // it ends the effect of lasting faults
)

// TargetKind is what an action is done to.
type TargetKind int

// The kinds of targets.
const (
	None         TargetKind = iota
	Node                    // one Redis
	Copy                    // a replica that can be promoted
	Link                    // a link, or several by a pattern
	OneClient               // by number, by a name that an Await gave, Hit or Waiter
	ClientOrNone            // a client; without a target it means all, or the one at a breakpoint
	ClientOrAll             // a client, or "*"
)

// Family says which effects on a link are made of the same: a link can have one of each.
type Family string

// The families.
const (
	Loss     Family = "loss"     // messages are dropped; connections stay
	Lateness Family = "lateness" // messages are delivered later; connections stay
	Refusal  Family = "refusal"  // there are no connections
	Breakage Family = "breakage" // connections break when they are used
)

// Assumption is what a lock takes for granted, in the order of gravity: where two faults explain a
// violation, the later one does.
type Assumption int

// The assumptions that actions break.
const (
	Nothing       Assumption = iota
	Delivery                 // messages arrive, and soon
	Survival                 // who takes a lock lives to release it
	BoundedPauses            // processes run, and answer, at all times
	ClientClocks             // the clients' wall clocks are right
	ServerClocks             // the servers' wall clocks are right
	Durability               // a server keeps what it has confirmed
)

// String is the assumption as verdicts name it; "" for Nothing.
func (a Assumption) String() string {
	return [...]string{"", "delivery", "survival", "bounded pauses", "client clock", "server clock",
		"durability"}[a]
}

// Actions returns the rows of all actions. The caller may keep and change the slice.
func Actions() []Action { return slices.Clone(actions) }

// ActionOf returns the row of an action by its name.
func ActionOf(name string) (Action, bool) {
	i := slices.IndexFunc(actions, func(a Action) bool { return a.Name == name })
	if i < 0 {
		return Action{}, false
	}
	return actions[i], true
}

// action is the row of a step; the zero row, which does nothing, for an Await.
func (s Step) action() Action {
	a, _ := ActionOf(s.Do)
	return a
}

// Fault reports whether the step changes the environment under the clients, so that it belongs in
// the history.
func (s Step) Fault() bool { return s.action().Kind == Momentary || s.Lasts() }

// Lasts reports whether the effect of a fault goes on after the step, until it is undone or the run
// ends.
func (s Step) Lasts() bool { return s.action().Kind == Lasting }

// Repairs reports whether the step undoes something.
func (s Step) Repairs() bool { return s.action().Kind == Repair }

// Undoes reports whether the step ends the effect of a fault that was done to the same target.
func (s Step) Undoes(fault string) bool {
	a, _ := ActionOf(fault)
	return slices.Contains(a.Undo, s.Do)
}

// actionNames are the names of all actions, sorted, for a message.
func actionNames() string {
	var names []string
	for _, a := range actions {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Tell says in words what an action did to a target, at its begin and at its end; an end of "" is
// not worth telling. Of an action that is not known it says its name.
func Tell(action, target string) (begin, end string) {
	a, known := ActionOf(action)
	switch {
	case (!known || a.Begin == "") && target == "":
		return fmt.Sprintf("the fault %q began", action), fmt.Sprintf("the fault %q ended", action)
	case !known || a.Begin == "":
		name := TargetName(target)
		return fmt.Sprintf("the fault %q hit %s", action, name),
			fmt.Sprintf("the fault %q of %s ended", action, name)
	case a.Name == Redirect && target == Spare:
		return "newer connections took the second links", ""
	}
	put := func(words string) string { return strings.Replace(words, "%s", TargetName(target), 1) }
	return put(a.Begin), put(a.End)
}

// Leads reports whether the words of the action's begin start with its target.
func (a Action) Leads() bool { return strings.HasPrefix(a.Begin, "%s") }

// TargetName is a target in words: "client 3", "n0", "client 3's link to n0", "the link from n0 to
// n1". The second links are those that newer connections of a client take once it was redirected to
// them.
func TargetName(target string) string {
	from, to, link := strings.Cut(target, ">")
	kind := "link"
	first, second := strings.CutSuffix(from, "+")
	if second {
		kind = "second link"
	}
	n, err := Client(first)
	client := err == nil
	switch {
	case !link && client:
		return fmt.Sprintf("client %d", n)
	case target == "*":
		return "every client"
	case !link:
		return target
	case client && to == "*":
		return fmt.Sprintf("every %s of client %d", kind, n)
	case client:
		return fmt.Sprintf("client %d's %s to %s", n, kind, to)
	case from == OverBus && strings.HasPrefix(to, "*"):
		return "the bus between " + strings.Trim(to, "*") + " and all other nodes"
	case from == OverBus:
		return "the bus from " + strings.Replace(to, ",", " to ", 1)
	case from == "*":
		return "every link to " + to
	case to == "*":
		return "every link of " + from
	}
	return "the link from " + from + " to " + to
}
