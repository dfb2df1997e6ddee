package view

import (
	"fmt"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

// PropertyRow is a property with its verdict. Symbol says in a shape what the colour says.
type PropertyRow struct {
	Name, Meaning, Verdict, State, Symbol, Class, Text string
	Story                                              string // where it is told in full
	Reported                                           bool
}

// Properties are the verdicts on all properties, in the order of the verdict.
func (v *View) Properties() []PropertyRow {
	if v.Verdict == nil {
		return nil
	}
	stories := map[string]string{}
	for i, w := range v.Violations {
		for _, p := range w.Properties {
			stories[p] = fmt.Sprintf("violation-%d", i+1)
		}
	}
	var rows []PropertyRow
	for _, p := range v.Verdict.Properties {
		row := PropertyRow{Name: page.Clean(p.Property, 24), Meaning: Meaning(p.Property),
			Verdict: p.Verdict.String(), State: page.State(p.Verdict),
			Class: page.Clean(p.Class, 80), Text: page.Clean(p.Explanation, 1200), Reported: p.Reported}
		row.Symbol = symbols[row.State]
		if p.Reason != "" {
			row.Text = units.Sentence(page.Clean(p.Reason, 600))
		}
		if row.Story = stories[p.Property]; row.Story != "" {
			row.Text = ""
		}
		if p.Assumption != "" {
			row.Class += "; the fault broke an assumption: " + page.Clean(p.Assumption, 80)
		}
		rows = append(rows, row)
	}
	return rows
}

// words are what the reports say of each property: what it means, and what it is to break it.
var words = map[string]struct{ meaning, broken string }{
	checker.MutualExclusion: {meaning: "two clients are never inside at once"},
	checker.LeaseExclusion: {
		meaning: "two clients are never inside at once while both leases are valid"},
	checker.OwnerRelease: {"only the owner releases", "another's lock is released"},
	checker.Orphan:       {"no key stays set that no client holds", "the key is left behind"},
	checker.Deadlock:     {"a live client that tries gets in again", "no client gets in"},
	checker.Fencing:      {"fencing tokens grow", "the token does not grow"},
	checker.LostUpdate:   {"no update of the guarded resource is lost", "an update is lost"},
	checker.Reentry: {"a holder can acquire again, and has to release as often",
		"re-entry fails"},
	checker.Validity: {
		meaning: "two clients are never inside while the lock tells both that they are"},
}

// Meaning is what a property stands for; "" of one that is not in the table.
func Meaning(property string) string { return words[property].meaning }

// symbols say in a shape what a colour says.
var symbols = map[string]string{"violated": "✕", "valid": "✓", "unknown": "?", "na": "–"}
