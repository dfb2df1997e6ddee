package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/batch"
)

// expectation is a row of the table: what can be violated, column by column. "-": nothing. "·": the
// table says nothing. "x": not possible.
type expectation struct {
	row string
	why string // in one line
	of  string // the columns of docs/locks/expected.md in its order, then ours
}

// expectations is docs/locks/expected.md and what was reasoned for the rest, written down before
// anything was measured. The columns are: none longwork crash pause partition reply-loss late
// restart restart-delayed failover clock-server+ clock-server- clock-client busy | request-loss
// node-pause node-crash minority-loss majority-loss.
var expectations = []expectation{
	{"setnx", "no lease: nothing ends by itself, neither a hold nor a leftover",
		"-    -   D   -   RD   RD RD    SLO -   SLORD -   -   -   -   | RD   -   -   x x"},
	{"setnx-del-expired", "a key that is gone is read as expired, so any two waiters can meet",
		"SLO  SLO SLO SLO SLOR SLOR SLOR SLO SLO SLOR SLO SLO SLO SLO | SLOR SLO SLO x x"},
	{"setnx-del-expired nil-retry",
		"two that saw the same expired lease delete one after the other; the key stays until somebody deletes it",
		"-    SLO SLO SLO R    R    SLOR SLO -   SLOR -   -   SLO -   | R    -   -   x x"},
	{"setnx-expire", "two commands to acquire: what falls between them has no lease; DEL by anyone",
		"-    SLO D   SLO RD   RD SLORD SLO -    SLOR SLO -   -   SLO | R    SLO -   x x"},
	{"setnx-expire-lua", "one script is as atomic as SET NX PX: as token-lua",
		"-    S   -   S   R    R    SR   SL  -   SLR  SL  -   -   -   | R    -   -   x x"},
	{"getset", "the clients' clocks are the lease; the release knows no owner",
		"-    SLO -   SLO R    R    SLOR SLO -   SLOR -   -   SLO SLO | R    SLO -   x x"},
	{"getset-java", "as getset, with a lease of 4 ms and a release by whoever was refused",
		"SLO  SLO SLO SLO SLOR SLOR SLOR SLO SLO SLOR SLO SLO SLO SLO | SLOR SLO SLO x x"},
	{"getset-redispy", "as getset; the release believes every later owner to be itself",
		"-    SLO -   SLO R    R    SLOR SLO -   SLOR -   -   SLO SLO | R    SLO -   x x"},
	{"setpx-del", "DEL by anyone",
		"-    SLO -   SLO R    R    SLOR SLO -   SLOR SLO -   -   SLO | R    SLO -   x x"},
	{"setpx-getdel", "the lease may end between GET and DEL",
		"-    S   -   SLO R    R    SLOR SLO -   SLOR SLO -   -   SO  | R    SO  -   x x"},
	{"token-lua",
		"the release is right; nothing ends the work with the lease, and a grant can be forgotten",
		"-    S   -   S   R    R    SR   SL  -   SLR  SL  -   -   -   | R    -   -   x x"},
	{"token-lua constant", "one value for all: the comparison is always true, so it is setpx-del",
		"-    SLO -   SLO R    R    SLOR SLO -   SLOR SLO -   -   SLO | R    SLO -   x x"},
	{"redisson fixed lease",
		"as token-lua; the owner is a thread, so a late unlock ends the same thread's next hold",
		"-    S   -   S   R    R    SOR  SL  -   SLR  SL  -   -   -   | R    -   -   x x"},
	{"redisson watchdog",
		"renewal covers long work, and nothing else; a failed renewal is told to nobody",
		"-    -   -   S   SR   R    SLOR SL  S   SLR  SL  -   -   S   | R    S   -   x x"},
	{"redisson-spin", "as redisson: only the waiting differs",
		"-    -   -   S   SR   R    SLOR SL  S   SLR  SL  -   -   S   | R    S   -   x x"},
	{"redisson-multi", "as redisson for each of its locks, all on one Redis",
		"-    -   -   S   SR   R    SLOR SL  S   SLR  SL  -   -   S   | R    S   -   x x"},
	{"redisson-fenced fixed lease",
		"as token-lua, and the counter of the tokens is lost with the lock",
		"-    S   -   S   R    R    SR   SLF -   SLRF SL  -   -   -   | R    -   -   x x"},
	{"redlock per call",
		"a majority must forget; one owner value for all attempts lets a late release undo the next attempt",
		"-    S   -   S   R    -    SLR  SL  -   SLR  SL  -   -   -   | R    -   -   - -"},
	{"redlock per attempt", "a majority must forget, or a client must stop",
		"-    S   -   S   R    -    R    SL  -   SLR  SL  -   -   -   | R    -   -   - -"},
	{"setnx-expire-lua-as-posted", "it takes the lock and says that it did not: nobody is ever inside",
		"R    x   x   x   x    x    x    x   x   x    x   x   x   x   | x    x   x   x x"},
	{"setpx-getdel-as-posted",
		"it is never released: each hold leaves the key behind for its whole lease",
		"R    x   x   x   x    x    x    x   x   x    x   x   x   x   | x    x   x   x x"},
	{"local", "two processes share no memory; nothing is in Redis",
		"SL   x   x   x   x    x    x    x   x   x    x   x   x   x   | x    x   x   x x"},
	{"none", "there is no lock",
		"SL   x   x   x   x    x    x    x   x   x    x   x   x   x   | x    x   x   x x"},
}

// impossible says why a lock and a fault do not go together; "" if they do. A cell that is not
// possible is never shown as safe.
func Impossible(r Row, c Column) string {
	loss := c.Name == "minority-loss" || c.Name == "majority-loss"
	switch {
	case c.Name == "none":
	case r.Has(idle):
		return "nothing of it is in Redis and nobody ever waits for it, so no fault has anything to strike"
	case r.Has(posted):
		return "as posted it cannot be used twice within its lease of 20 s; its repaired form has a row of its own"
	case !r.Has(masters) && loss:
		return "it uses one Redis; see node-crash"
	}
	return ""
}

// Expected is what is expected of a cell: letters, and false if nothing was said.
func Expected(row, column string) (letters []string, known bool) {
	i := slices.IndexFunc(expectations, func(e expectation) bool { return e.row == row })
	j := slices.IndexFunc(columns, func(c Column) bool { return c.Name == column })
	if i < 0 || j < 0 {
		return nil, false
	}
	switch word := expectations[i].cells()[j]; word {
	case "-":
		return nil, true
	case "·", "x":
		return nil, false
	default:
		return batch.InOrder(strings.Split(word, "")), true
	}
}

// Why is the reason for what is expected of a lock, in one line.
func Why(row string) string {
	for _, e := range expectations {
		if e.row == row {
			return e.why
		}
	}
	return ""
}

func (e expectation) cells() []string { return strings.Fields(strings.Replace(e.of, "|", "", 1)) }

// rowsAndColumns are rows and columns by their names: all for none.
func RowsAndColumns(locks, faults []string) ([]Row, []Column, error) {
	rs, err := FindRows(locks)
	if err != nil {
		return nil, nil, err
	}
	cs, err := find("fault", columns, func(c Column) string { return c.Name }, faults)
	return rs, cs, err
}

// findRows are rows by their names, or by the names of their locks: all for none.
func FindRows(locks []string) ([]Row, error) {
	return find("lock", rows, func(r Row) string { return r.Name }, locks)
}

// find returns rows and columns by their names, or all for none. The error names what there is.
func find[T any](what string, all []T, name func(T) string, wanted []string) ([]T, error) {
	if len(wanted) == 0 {
		return all, nil
	}
	var out []T
	for _, w := range wanted {
		before := len(out)
		var names []string
		for _, x := range all {
			names = append(names, name(x))
			if name(x) == w || strings.HasPrefix(name(x), w+" ") {
				out = append(out, x)
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("the matrix has no %s %q; it has: %s", what, w, strings.Join(names, ", "))
		}
	}
	return out, nil
}
