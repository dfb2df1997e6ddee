package matrix

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// Impossible returns the reason why a lock cannot be run under a fault, or "". An impossible cell
// is never shown as safe.
func Impossible(r Row, c Column) string {
	loss := c.Name == "minority-loss" || c.Name == "majority-loss"
	ensemble := c.Name == "leader-loss" || c.Name == "member-loss"
	switch {
	case c.Name == "none":
	case r.Has(ownLease) && !slices.Contains(withOwnLease, c.Name):
		return "a variant with the library's own lease is run under " +
			strings.Join(withOwnLease, ", ") + " only"
	case r.Has(idle):
		return "it keeps nothing in Redis and no client ever waits for it, so that no fault has " +
			"anything to hit"
	case r.Has(impls.Posted):
		return "as posted it cannot be used twice within its lease of 20 s; its repaired form has a " +
			"row of its own"
	case c.Name == "message" && r.Adapter == "":
		return "its client sends nothing again; see request-loss and reply-loss"
	case c.Libraries && c.lacks(r) != "":
		return fmt.Sprintf("it does not declare %q", c.lacks(r))
	case ensemble && !r.Has(unseen):
		return "its servers do not agree on writes; see failover"
	case r.Has(unseen) && loss:
		return "it has no masters that vote; see node-crash, leader-loss and member-loss"
	case !r.Has(masters) && loss:
		return "it uses one Redis; see node-crash"
	}
	return ""
}

// RowsAndColumns returns lockbench's own rows and columns by their names. An empty list selects
// all.
func RowsAndColumns(locks, faults []string) ([]Row, []Column, error) {
	return Options{Rows: locks, Columns: faults}.rowsAndColumns()
}

// findColumns returns columns by their names. If names is empty, it returns all columns that suit
// some row.
func findColumns(rows []Row, names []string) ([]Column, error) {
	all := AllColumns()
	if len(names) == 0 && !slices.ContainsFunc(rows, func(r Row) bool { return r.Adapter != "" }) {
		all = Columns()
	}
	found, err := find("fault", all, func(c Column) string { return c.Name }, names)
	for _, n := range names {
		if err != nil && !hasColumn(all, n) {
			return nil, cmp.Or(checkColumn(all, n), err)
		}
	}
	return found, err
}

func hasColumn(all []Column, name string) bool {
	return slices.ContainsFunc(all, func(c Column) bool { return c.Name == name })
}

// checkColumn returns an error that says where the runs under a fault are that has no column of its
// name. It returns nil for a name that is no fault.
func checkColumn(all []Column, fault string) error {
	if of := ColumnsOf(fault); len(of) > 0 {
		return fmt.Errorf("the runs of --nemesis %s are in the column %s; name that column", fault,
			of[0].Name)
	}
	near, _, _ := strings.Cut(fault, "-")
	switch _, _, err := nemesis.Find(fault); {
	case err != nil:
		return nil
	case hasColumn(all, near):
		return fmt.Errorf("the matrix has no column %s; a similar one is %s", fault, near)
	}
	return fmt.Errorf("the matrix has no column %s, and no lock was measured under it; `%s --nemesis "+
		"%s` tries one", fault, advice.Verb("run"), fault)
}

// FindRows returns rows by their names or the names of their locks. An empty list and "all" select
// all rows.
func FindRows(locks []string) ([]Row, error) {
	if len(locks) == 1 && locks[0] == All {
		locks = nil
	}
	return find("lock", Rows(), func(r Row) string { return r.Name }, locks)
}

// find returns the items with the wanted names, or all if wanted is empty. It returns each item
// only once, because two runs of one scenario would share a directory. The error lists the known
// names.
func find[T any](what string, all []T, name func(T) string, wanted []string) ([]T, error) {
	if len(wanted) == 0 {
		return all, nil
	}
	var out []T
	var names []string
	for _, x := range all {
		names = append(names, name(x))
	}
	taken := make([]bool, len(all))
	for _, w := range wanted {
		known := false
		for i, x := range all {
			if name(x) != w && !strings.HasPrefix(name(x), w+" ") {
				continue
			}
			if known = true; !taken[i] {
				taken[i], out = true, append(out, x)
			}
		}
		if !known {
			return nil, fmt.Errorf("the matrix has no %s %q%s; it has: %s", what, w,
				units.DidYouMean(w, names), strings.Join(names, ", "))
		}
	}
	return out, nil
}

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
