// Package findings follows the violations of a gate or a matrix from run to run, and counts them
// for Prometheus.
package findings

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// State says how a finding compares with the run before.
type State string

// The states.
const (
	New     State = "new"
	Ongoing State = "ongoing"
	Gone    State = "gone"
	Back    State = "back" // it was gone before
)

var states = []State{New, Ongoing, Gone, Back}

// Finding is a property that a lock violates under a fault.
type Finding struct {
	ID     string `json:"id"` // the same for the same lock, fault and property in each run
	Lock   string `json:"lock"`
	Fault  string `json:"fault"`
	Letter string `json:"letter"`
	State  State  `json:"state"`
}

// Cell is a lock under a fault, with what the runs showed of each property.
type Cell struct {
	Lock, Fault string
	Letters     map[string]checker.Result
}

// Join returns the cell of a lock under a fault. It adds the cell if there is none, because several
// entries of a gate may share a lock and a fault. The pointer is valid until the next call.
func Join(cells *[]Cell, lock, fault string) *Cell {
	i := slices.IndexFunc(*cells, func(c Cell) bool { return c.Lock == lock && c.Fault == fault })
	if i < 0 {
		i, *cells = len(*cells), append(*cells, Cell{Lock: lock, Fault: fault})
	}
	return &(*cells)[i]
}

// Add takes the result of a run for a property. The worst result counts.
func (c *Cell) Add(letter string, r checker.Result) {
	if c.Letters == nil {
		c.Letters = map[string]checker.Result{}
	}
	if old, known := c.Letters[letter]; !known || batch.Rank(r) > batch.Rank(old) {
		c.Letters[letter] = r
	}
}

// id is the identity of a finding. Another version of a library is the same lock.
func id(lock, fault, letter string) string {
	name, rest, _ := strings.Cut(lock, " ")
	name, _, _ = strings.Cut(name, "@")
	sum := sha256.Sum256([]byte(name + " " + rest + "\n" + fault + "\n" + letter))
	return hex.EncodeToString(sum[:6])
}

// Track compares the violations of a run with the findings of the run before. A finding is gone
// only if its property was judged and is valid; one that was not judged stays as it was.
func Track(cells []Cell, before []Finding) (out []Finding) {
	old := map[string]Finding{}
	for _, f := range before {
		old[f.ID] = f
	}
	for _, c := range cells {
		for letter, r := range c.Letters {
			f := Finding{ID: id(c.Lock, c.Fault, letter), Lock: c.Lock, Fault: c.Fault, Letter: letter}
			was, known := old[f.ID]
			switch {
			case r == checker.Violated && !known:
				f.State = New
			case r == checker.Violated && was.State == Gone:
				f.State = Back
			case r == checker.Violated:
				f.State = Ongoing
			case r == checker.Valid && known:
				f.State = Gone
			default:
				continue
			}
			delete(old, f.ID)
			out = append(out, f)
		}
	}
	for _, f := range old {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Lock, b.Lock), cmp.Compare(a.Fault, b.Fault),
			batch.ByProperty(a.Letter, b.Letter))
	})
	return out
}

// WriteMetrics writes the cells by property and verdict, and the findings by state, in the textfile
// format of Prometheus. From names the gate file or the matrix.
func WriteMetrics(w io.Writer, from string, cells []Cell, all []Finding) error {
	var b strings.Builder
	b.WriteString("# HELP lockbench_cells Locks under a fault, by property and verdict.\n" +
		"# TYPE lockbench_cells gauge\n")
	counts := map[string]map[checker.Result]int{}
	for _, c := range cells {
		for letter, r := range c.Letters {
			if counts[letter] == nil {
				counts[letter] = map[checker.Result]int{}
			}
			counts[letter][r]++
		}
	}
	for _, letter := range slices.SortedFunc(maps.Keys(counts), batch.ByProperty) {
		for _, r := range []checker.Result{checker.Violated, checker.Valid, checker.Unknown,
			checker.NA} {
			fmt.Fprintf(&b, "lockbench_cells{from=%s,letter=%s,verdict=%s} %d\n", label(from),
				label(letter), label(r.String()), counts[letter][r])
		}
	}
	b.WriteString("# HELP lockbench_findings Violations, compared with the run before.\n" +
		"# TYPE lockbench_findings gauge\n")
	for _, s := range states {
		n := 0
		for _, f := range all {
			n += batch.Truth(f.State == s)
		}
		fmt.Fprintf(&b, "lockbench_findings{from=%s,state=%s} %d\n", label(from), label(string(s)), n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func label(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
