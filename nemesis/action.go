package nemesis

import (
	"fmt"
	"slices"
	"strings"
)

// Action is a row of the table of actions. It holds everything that the program knows about an
// action: Plan checks, environments, the harness, explore, checker and reports all read it. A new
// action is one new row.
type Action struct {
	Name   string // field do of a step, and f of a fault in a history
	Kind   Kind
	Target TargetKind
	Undo   []string // actions that end its effect, if any do
	Stops  bool     // the target does nothing until the effect ends
	Kills  bool     // the target is gone until the effect ends
	Dead   bool     // the target must have been killed before
	// Doing it again replaces the effect, and doing it with zero values ends it. This is how a clock
	// is set.
	Again  bool
	Family Family     // of an action on a link
	Breaks Assumption // assumption of a lock that it breaks
	// Begin and End say what happened, for stories, timelines and headlines. End is empty if the end
	// of the fault is not worth mentioning. %s is the target.
	Begin, End string
	Hits       string // the object it hits, if not the target itself; %s is the target

	may, must string     // the fields, besides the target, that a step may and must have
	by        capability // carries it out; with the zero value, the harness does it
}

// Kind classifies the role of an action in a run.
type Kind int

// The kinds of actions.
const (
	Course    Kind = iota // it controls only the order of events
	Momentary             // a fault: it changes the environment under the clients; over when done
	Lasting               // a fault whose effect goes on until it is undone or the run ends
	Repair                // it ends the effect of lasting faults
)

// TargetKind is the kind of target that an action needs.
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

// Family groups the effects on a link that exclude each other: a link can have one effect of each
// family.
type Family string

// The families.
const (
	Loss     Family = "loss"     // messages are dropped; connections stay
	Lateness Family = "lateness" // messages are delivered later; connections stay
	Refusal  Family = "refusal"  // the link refuses connections
	Breakage Family = "breakage" // connections break when they are used
)

// Assumption is a property that a lock takes for granted. The assumptions are in the order of their
// gravity: if two faults explain a violation, the later one in this order explains it.
type Assumption int

// The assumptions that actions break.
const (
	Nothing       Assumption = iota
	Delivery                 // messages arrive, and soon
	Survival                 // a client that takes a lock lives to release it
	BoundedPauses            // processes run, and answer, at all times
	ClientClocks             // the clients' wall clocks are right
	ServerClocks             // the servers' wall clocks are right
	Durability               // a server keeps every write that it has confirmed
)

// String returns the name of the assumption as verdicts use it. It returns "" for Nothing.
func (a Assumption) String() string {
	return [...]string{"", "delivery", "survival", "bounded pauses", "client clock", "server clock",
		"durability"}[a]
}

// Actions returns the rows of all actions. The caller may keep and change the slice.
func Actions() []Action { return slices.Clone(actions) }

// ActionOf returns the row of an action by its name.
func ActionOf(name string) (Action, bool) {
	for i := range actions { // without copies: runs and rules ask often
		if actions[i].Name == name {
			return actions[i], true
		}
	}
	return Action{}, false
}

// action returns the row of a step. For an Await it returns the zero row.
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

// Undoes reports whether the step ends the effect of an earlier fault on the same target.
func (s Step) Undoes(fault string) bool {
	a, _ := ActionOf(fault)
	return slices.Contains(a.Undo, s.Do)
}

// actionNames returns the names of all actions, sorted and joined for a message.
func actionNames() string {
	var names []string
	for _, a := range actions {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Tell describes in words the beginning and the end of an action on a target. The end is "" if it
// is not worth mentioning. For an unknown action, both texts quote its name.
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

// Leads reports whether the text Begin starts with the target.
func (a Action) Leads() bool { return strings.HasPrefix(a.Begin, "%s") }

// TargetName describes a target in words: "client 3", "n0", "client 3's link to n0", "the link from
// n0 to n1". A "second link" belongs to the newer connections of a client that was redirected.
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
