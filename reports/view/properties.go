package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/page"
)

// PropertyRow is a property with its verdict. Symbol says in a shape what the colour says.
type PropertyRow struct {
	Name, Meaning, Verdict, State, Symbol, Class, Text string
	Story                                              string // place of the full story
	Reported                                           bool
}

// Properties returns the verdicts on all properties, in the order of the verdict.
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
			Class: page.Clean(p.Class, 80), Reported: p.Reported,
			Text: page.Clean(units.ShortOwners(p.Explanation), 1200)}
		row.Symbol = symbols[row.State]
		if p.Reason != "" {
			row.Text = units.Sentence(page.Clean(p.Reason, 600))
		}
		if row.Story = stories[p.Property]; row.Story != "" {
			row.Text = ""
		}
		if p.Assumption != "" && p.Class != "" {
			row.Class += "; the fault broke an assumption: " + page.Clean(p.Assumption, 80)
		}
		rows = append(rows, row)
	}
	return rows
}

// Meaning describes a property. It returns "" for the model of an imported history.
func Meaning(property string) string {
	row, _ := history.FindProperty(property)
	return row.Meaning
}

// Broken describes the violation of a property, "two clients were inside at once", and its class.
// For the model of an imported history it returns only the class.
func Broken(p PropertyRow) string {
	row, _ := history.FindProperty(p.Name)
	return strings.Join(slices.DeleteFunc([]string{row.Broken, p.Class}, func(s string) bool {
		return s == ""
	}), ": ")
}

// short returns a violation as a heading, or "" if the holds of the witness make the heading.
func short(property string) string {
	row, _ := history.FindProperty(property)
	return row.Short
}

// symbols say in a shape what a colour says.
var symbols = map[string]string{"violated": "✕", "valid": "✓", "unknown": "?", "na": "–"}
