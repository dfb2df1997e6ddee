package explore

import (
	"fmt"
	"strings"
)

// Bounds are what an exhaustive search goes through: all orders of commands, replies and wake-ups
// within them.
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
		count(b.Clients, "client", "clients"), count(b.Rounds, "round", "rounds"),
		count(b.Expiries, "expiry", "expiries"),
		count(b.Preemptions, "preemption", "preemptions"),
	}
	if b.Faults > 0 {
		words = append(words, count(b.Faults, "fault", "faults")+" at any place")
	}
	return strings.Join(words, ", ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// thousands is a number for people: "26,576".
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Covered says what an exhaustive search went through.
type Covered struct {
	Bounds    Bounds `json:"bounds"`
	Schedules int    `json:"schedules"` // that were run to their end
	// that came to a state from which everything had been run already
	Merged    int    `json:"merged"`
	States    int    `json:"states"`    // distinct
	Whole     bool   `json:"whole"`     // nothing within the bounds was left out
	Violating int    `json:"violating"` // schedules
	Broke     int    `json:"broke,omitempty"`
	Why       string `json:"why,omitempty"` // it is not whole
}

// String is the answer in one line; it claims no more than was done.
func (c Covered) String() string {
	all := "all "
	if !c.Whole {
		all = ""
	}
	merged := ""
	if c.Merged > 0 {
		merged = fmt.Sprintf(" (%s of them up to a state that was known)", thousands(c.Merged))
	}
	text := fmt.Sprintf("no violation in %s%s schedules%s of %s", all, thousands(c.Schedules+c.Merged),
		merged, c.Bounds)
	if c.Violating > 0 {
		text = fmt.Sprintf("%s violating of %s%s schedules%s of %s", thousands(c.Violating), all,
			thousands(c.Schedules+c.Merged), merged, c.Bounds)
	}
	if !c.Whole {
		text += "; not finished: " + c.Why
	}
	return text
}
