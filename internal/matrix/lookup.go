package matrix

import "github.com/lockbench/lockbench/internal/harness"

// RowFor is the row of the lock that a plan runs, if it has one. How many masters it uses is
// another question, and the folder of a user's own adapter has none.
func RowFor(p harness.Plan) (Row, bool) {
	o := harness.RunOptions{Impl: p.Impl, Variant: p.Variant, NoWatchdog: p.NoWatchdog}
	if p.Adapter != nil {
		o.Adapter = p.Impl
	}
	return rowOf(o)
}

// ColumnsOf are the columns that have an aim of a fault.
func ColumnsOf(fault string) []Column { return columnsOf(fault) }
