package explore

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
)

// Bounds say how much an exhaustive search goes through: all orders of commands, replies and
// wake-ups within them.
type Bounds struct {
	Clients     int `json:"clients"`
	Rounds      int `json:"rounds"`      // cycles of each client
	Tries       int `json:"tries"`       // of one acquire, a lease apart
	Preemptions int `json:"preemptions"` // how often a client that could go on must wait for another
	// how often time passes, for longer than a moment, while a message is under way
	Expiries int `json:"expiries"`
	Faults   int `json:"faults"` // 0, or 1: at any place
}

// DefaultBounds find every known violation of a lock that polls, in seconds.
var DefaultBounds = Bounds{Clients: 3, Rounds: 1, Tries: 2, Preemptions: 2, Expiries: 1, Faults: 0}

// String names the space, as in "3 clients, 2 expiries, 4 preemptions".
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

// Covered says how much an exhaustive search went through.
type Covered struct {
	Bounds    Bounds `json:"bounds"`
	Schedules int    `json:"schedules"` // that were run to their end
	// that ended in a state from which everything had been run already
	Merged    int  `json:"merged"`
	Asleep    int  `json:"asleep,omitempty"` // ways that were not taken: sleep sets
	States    int  `json:"states"`           // distinct
	Whole     bool `json:"whole"`            // nothing within the bounds was left out
	Violating int  `json:"violating"`        // schedules
	// runs that are worth nothing
	HarnessErrors int    `json:"broke,omitempty"`
	Reason        string `json:"why,omitempty"`   // why it is not whole
	Known         int    `json:"known,omitempty"` // ways that were found and not taken
}

// String is the answer in one line; it claims no more than was done.
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
