package matrix

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/run/batch"
)

// expectation is what was expected of a lock before anything was measured.
type expectation struct {
	From       string // where it was worked out
	Reason     string // in one line
	Properties map[string]string
}

//go:embed expectations.yaml
var expectationsYAML string

// expectations are those of docs/locks/expected.md, by row: the properties that can be violated, by
// column. A column that is not there is expected to violate none, and a row that is not there is
// measured with no expectation.
var expectations = batch.Table[map[string]expectation]("expectations.yaml", expectationsYAML)

// Expected is what is expected of a cell: properties, and false if nothing was said.
func Expected(row, column string) (found []string, known bool) {
	e, known := expectations()[row]
	i := slices.IndexFunc(Rows(), func(r Row) bool { return r.Name == row })
	j := slices.IndexFunc(columns(), func(c Column) bool { return c.Name == column })
	if !known || i < 0 || j < 0 || Impossible(Rows()[i], columns()[j]) != "" {
		return nil, false
	}
	return batch.InOrder(strings.Split(e.Properties[column], "")), true
}

// Why is the reason for what is expected of a lock, in one line; "" if nothing is.
func Why(row string) string { return expectations()[row].Reason }
