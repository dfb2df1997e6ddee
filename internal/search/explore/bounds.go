package explore

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
)

// Bounds limit an exhaustive search. It tries all orders of commands, replies and wake-ups within
// them.
type Bounds struct {
	Clients     int `json:"clients"`
	Rounds      int `json:"rounds"`      // cycles of each client
	Tries       int `json:"tries"`       // attempts of one acquire, a lease apart
	Preemptions int `json:"preemptions"` // how often a client that could act must wait for another
	// how often more than a moment passes while a message is in flight
	Expiries int `json:"expiries"`
	Faults   int `json:"faults"` // 0, or 1 for a fault at any place
}

// DefaultBounds find every known violation of a lock that polls, within seconds.
var DefaultBounds = Bounds{Clients: 3, Rounds: 1, Tries: 2, Preemptions: 2, Expiries: 1, Faults: 0}

// String describes the bounds, as in "3 clients, 2 expiries, 4 preemptions".
func (b Bounds) String() string {
	words := []string{
		units.Count(b.Clients, "client"), units.Count(b.Rounds, "round"),
		units.Count(b.Expiries, "expiry"), units.Count(b.Preemptions, "preemption"),
	}
	if b.Faults > 0 {
		words = append(words, units.Count(b.Faults, "fault")+" at any place")
	}
	return strings.Join(words, ", ")
}

// Covered reports how much an exhaustive search tried.
type Covered struct {
	Bounds    Bounds `json:"bounds"`
	Schedules int    `json:"schedules"` // schedules that ran to their end
	// schedules that were cut off at a state whose continuations had been run already
	Merged    int  `json:"merged"`
	Asleep    int  `json:"asleep,omitempty"` // branches that sleep sets pruned
	States    int  `json:"states"`           // distinct states
	Whole     bool `json:"whole"`            // everything within the bounds was tried
	Violating int  `json:"violating"`        // schedules with a violation
	// runs that failed and prove nothing
	HarnessErrors int    `json:"broke,omitempty"`
	Reason        string `json:"why,omitempty"`   // the reason why it is not whole
	Known         int    `json:"known,omitempty"` // branches that were found but not taken
}

// String returns the result in one line.
func (c Covered) String() string {
	all := "all "
	if !c.Whole {
		all = ""
	}
	merged := ""
	if c.Merged > 0 {
		merged = fmt.Sprintf(" (%s of them up to a state that was known)", units.Thousands(c.Merged))
	}
	text := fmt.Sprintf("no violation in %s%s schedules%s of %s", all,
		units.Thousands(c.Schedules+c.Merged),
		merged, c.Bounds)
	if c.Violating > 0 {
		text = fmt.Sprintf("%s violating of %s%s schedules%s of %s", units.Thousands(c.Violating), all,
			units.Thousands(c.Schedules+c.Merged), merged, c.Bounds)
	}
	if !c.Whole {
		text += "; not finished: " + c.Reason
		if c.Known > 0 {
			text += fmt.Sprintf(", with %s known and not taken", units.Count(c.Known, "way"))
		}
	}
	return text
}
