package study

import (
	_ "embed"
	"slices"

	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/matrix"
)

// explanation says why something differs. It is written by people, once the difference has been
// understood.
type explanation struct {
	Rows       []string // empty: all
	Columns    []string // empty: all
	Properties string   // any of these
	Missing    bool     // expected and not found; else found and not expected
	Reason     string
}

//go:embed explanations.yaml
var explanationsYAML string

// explanations are tried in order.
var explanations = batch.Table[struct {
	// why a cell differs from what was expected of it
	Expected []explanation
	// why a scenario finds something only sometimes, and cannot be made to find it each time
	Chances []explanation
	// why the simulator finds something else than was measured; missing: it was measured, and is not
	// found in the simulator
	Simulator []explanation
}]("explanations.yaml", explanationsYAML)

// chance says why a property is not found each time; "" if it must be.
func chance(row, column, letter string) string {
	return among(explanations().Chances, matrix.Difference{Row: row, Column: column, Property: letter})
}

// explain returns what is known about a difference; "" if it has not been explained yet.
func explain(d matrix.Difference) string { return among(explanations().Expected, d) }

func among(list []explanation, d matrix.Difference) string {
	has := func(list []string, x string) bool { return len(list) == 0 || slices.Contains(list, x) }
	for _, e := range list {
		if e.Missing == d.Expected && has(e.Rows, d.Row) && has(e.Columns, d.Column) &&
			slices.Contains(batch.InOrder(split(e.Properties)), d.Property) {
			return e.Reason
		}
	}
	return ""
}

func split(properties string) (out []string) {
	for _, l := range properties {
		out = append(out, string(l))
	}
	return out
}
