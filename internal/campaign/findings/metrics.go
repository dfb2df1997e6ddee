package findings

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/run/batch"
)

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

// label quotes the value of a label.
func label(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
