package matrix

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/run/batch"
)

// expectation is the expected result of a lock, written before anything was measured.
type expectation struct {
	From       string // where it was derived
	Reason     string // in one line
	Properties map[string]string
}

//go:embed expectations.yaml
var expectationsYAML string

// expectations returns the expectations of docs/locks/expected.md by row. They map columns to the
// properties that can be violated. A missing column means no violation, and a missing row means no
// expectation.
var expectations = batch.Table[map[string]expectation]("expectations.yaml", expectationsYAML)

// Expected returns the properties that a cell is expected to violate. It returns false if there is
// no expectation.
func Expected(row, column string) (found []string, known bool) {
	e, known := expectations()[row]
	i := slices.IndexFunc(Rows(), func(r Row) bool { return r.Name == row })
	j := slices.IndexFunc(AllColumns(), func(c Column) bool { return c.Name == column })
	if !known || i < 0 || j < 0 || Impossible(Rows()[i], AllColumns()[j]) != "" {
		return nil, false
	}
	return batch.InOrder(strings.Split(e.Properties[column], "")), true
}

// Why returns the reason for the expectation of a lock in one line, or "".
func Why(row string) string { return expectations()[row].Reason }
