package compare

import (
	"fmt"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Change describes how a property differs between the sides. It is empty if nothing changed.
type Change string

// The changes of a property.
const (
	New  Change = "new"  // violated now but not before
	Gone Change = "gone" // violated before but not now
	// violated in so few runs of one side that the other may have missed it by chance
	Chance  Change = "chance"
	Lost    Change = "lost"    // known before, unknown now
	Learned Change = "learned" // unknown before and known now
	Class   Change = "class"   // violated on both sides, in different ways
)

// PropertyPair is one property on both sides.
type PropertyPair struct {
	Property string `json:"property"`
	A        Tally  `json:"a"`
	B        Tally  `json:"b"`
	Change   Change `json:"change,omitempty"`
	// the probability that the side without a violation missed it by chance
	Missed float64 `json:"missed,omitempty"`
}

// Tally sums up what the runs of one side show about a property.
type Tally struct {
	Found checker.Result `json:"found"`
	Runs  int            `json:"runs,omitempty"` // runs that violated it
	// the number of runs of the scenarios that violated it, or of all scenarios if none did
	Of          int    `json:"of"`
	Class       string `json:"class,omitempty"`
	Explanation string `json:"explanation,omitempty"`

	hits, tries map[string]int // by scenario, over the runs that judged the property
	judged      int
}

// newTally combines the runs of an item. Violated outranks unknown, which outranks valid.
func newTally(letter string, i Item) Tally {
	t := Tally{Found: checker.NA, hits: map[string]int{}, tries: map[string]int{}}
	if len(i.Trials) == 0 {
		t.Found = checker.Unknown
	}
	for _, trial := range i.Trials {
		r, judged := trial.Properties[letter]
		if !judged {
			r = checker.Unknown
		}
		if batch.Rank(r) > batch.Rank(t.Found) {
			t.Found, t.Class, t.Explanation = r, trial.Classes[letter], trial.Explanations[letter]
		}
		if r != checker.Unknown {
			t.tries[trial.Aim]++
			t.judged++
		}
		if r == checker.Violated {
			t.Runs++
			t.hits[trial.Aim]++
		}
	}
	for aim, n := range t.tries {
		if t.Runs == 0 || t.hits[aim] > 0 {
			t.Of += n
		}
	}
	if t.judged == 0 {
		t.Of = len(i.Trials)
	}
	return t
}

// String formats the tally for a table: "violated 3/5", "valid".
func (t Tally) String() string {
	if t.Found == checker.Violated {
		return fmt.Sprintf("violated %d/%d", t.Runs, t.Of)
	}
	return t.Found.String()
}

// newPropertyPair compares a property. If exact, both sides were simulated with the same seed, so
// that chance plays no role. A gate that passed on one side and failed on the other has already
// considered chance.
func newPropertyPair(letter string, a, b Item, exact bool) PropertyPair {
	certain := exact || a.turned(b) || b.turned(a)
	p := PropertyPair{Property: letter, A: newTally(letter, a), B: newTally(letter, b)}
	inA, inB := p.A.Found == checker.Violated, p.B.Found == checker.Violated
	switch {
	case inA && inB && p.A.Class != p.B.Class:
		p.Change = Class
	case inA && inB:
	case p.B.unjudged(exact) && !p.A.unjudged(exact) && p.A.Found != checker.NA:
		p.Change = Lost
	case p.A.unjudged(exact) && !p.B.unjudged(exact) && !inB && p.B.Found != checker.NA:
		p.Change = Learned
	case inA:
		p.Change, p.Missed = unlessLuck(Gone, p.A, p.B, certain)
	case inB:
		p.Change, p.Missed = unlessLuck(New, p.B, p.A, certain)
	}
	return p
}

// turned reports whether the gate entry of i passed and the one of other failed.
func (i Item) turned(other Item) bool {
	return i.Gate == gate.Passed && other.Gate == gate.Failed
}

// unjudged reports whether no run judged the property. If exact, it reports whether some run did
// not.
func (t Tally) unjudged(exact bool) bool {
	return t.Found == checker.Unknown && (t.judged == 0 || exact)
}

// unlessLuck returns Chance instead of c if the violations may be on one side by chance although
// both locks are the same. It also returns the probability of that. A side that judged nothing
// shows no change.
func unlessLuck(c Change, found, not Tally, certain bool) (Change, float64) {
	if certain && not.Found != checker.Unknown {
		return c, 0
	}
	missed := 1.0
	for aim, hits := range found.hits {
		missed *= batch.Chance(not.tries[aim], hits, found.tries[aim])
	}
	if missed >= batch.NoAccident {
		return Chance, missed
	}
	return c, missed
}

// Line describes the change in a sentence. It returns "" if nothing changed, or if Pair.Lines
// covers the change.
func (p PropertyPair) Line() string {
	switch p.Change {
	case New:
		return fmt.Sprintf("%s is violated now (%s), and was %s", p.Property, class(p.B), p.A.Found)
	case Gone:
		return fmt.Sprintf("%s was violated (%s), and is %s now", p.Property, class(p.A), p.B.Found)
	case Chance:
		return fmt.Sprintf("%s: %s and %s: that may be chance (%.0f %%)", p.Property, p.A, p.B,
			100*p.Missed)
	case Learned:
		return fmt.Sprintf("%s is %s now, and could not be told before", p.Property, p.B)
	case Class:
		return fmt.Sprintf("%s is violated on both sides, in another way: %s, then %s", p.Property,
			p.A.Class, p.B.Class)
	}
	return ""
}

func class(t Tally) string {
	s := fmt.Sprintf("%d of %s", t.Runs, units.Count(t.Of, "run"))
	if t.Class != "" {
		return t.Class + ", " + s
	}
	return s
}
