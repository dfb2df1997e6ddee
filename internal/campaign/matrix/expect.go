package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/impls"
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
		known := slices.ContainsFunc(all, func(c Column) bool { return c.Name == n })
		if of := ColumnsOf(n); err != nil && !known && len(of) > 0 {
			return nil, fmt.Errorf("the runs of --nemesis %s are in the column %s; name that column",
				n, of[0].Name)
		}
	}
	return found, err
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
			return nil, fmt.Errorf("the matrix has no %s %q; it has: %s", what, w, strings.Join(names, ", "))
		}
	}
	return out, nil
}
