package matrix

import (
	"slices"
	"strings"
	"testing"
)

// TestEachExplanationIsUsed checks that each explanation names rows, columns and letters that
// exist, and that no earlier one hides it everywhere.
func TestEachExplanationIsUsed(t *testing.T) {
	for _, e := range explanations() {
		if _, _, err := RowsAndColumns(e.Rows, e.Columns); err != nil || len(e.Rows) == 0 {
			t.Errorf("%v, %v: %v", e.Rows, e.Columns, err)
		}
		if e.Properties == "" || len(e.Reason) < 20 {
			t.Errorf("%v, %v: %q %q", e.Rows, e.Columns, e.Properties, e.Reason)
		}
		if !slices.ContainsFunc(e.Rows, e.shown) {
			t.Errorf("never shown: %s", e.Reason)
		}
	}
}

// shown reports whether Explain returns the reason for some cell of a row.
func (e Explanation) shown(row string) bool {
	return slices.ContainsFunc(Columns(), func(c Column) bool {
		return slices.ContainsFunc(strings.Split(e.Properties, ""), func(letter string) bool {
			d := Difference{Row: row, Column: c.Name, Property: letter, Expected: e.Missing}
			return Explain(d) == e.Reason
		})
	})
}
