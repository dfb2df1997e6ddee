package matrix

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/run/batch"
)

// Explanation gives the reason why cells differ from the expectation.
type Explanation struct {
	Rows       []string // empty for all
	Columns    []string // empty for all
	Properties string   // letters, any of these
	Missing    bool     // the letters were expected and not found; else found and not expected
	Reason     string
}

//go:embed explanations.yaml
var explanationsYAML string

var explanations = batch.Table[[]Explanation]("explanations.yaml", explanationsYAML)

// Fits reports whether an explanation is one of a difference.
func (e Explanation) Fits(d Difference) bool {
	has := func(list []string, x string) bool { return len(list) == 0 || slices.Contains(list, x) }
	return e.Missing == d.Expected && has(e.Rows, d.Row) && has(e.Columns, d.Column) &&
		strings.Contains(e.Properties, d.Property)
}

// Explain returns the reason why a cell differs from the expectation, or "" if it is unknown.
func Explain(d Difference) string {
	for _, e := range explanations() {
		if e.Fits(d) {
			return e.Reason
		}
	}
	return ""
}

// Excused reports whether it is known why a cell lacks a letter that is expected of it.
func Excused(row, column, letter string) bool {
	return Explain(Difference{Row: row, Column: column, Property: letter, Expected: true}) != ""
}
