package matrix

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
)

// TestHowOftenALetterWasFound is of a matrix whose scenarios were run three times.
func TestHowOftenALetterWasFound(t *testing.T) {
	m := &Matrix{Repeat: 3, Cells: []Cell{{Row: "mine", Column: "late", Properties: []Property{
		{Name: "S", Found: checker.Violated, Runs: 3, Of: 3},
		{Name: "O", Found: checker.Violated, Runs: 1, Of: 3},
		{Name: "L", Found: checker.Violated}, // inherited: no run of this cell found it
		{Name: "D", Found: checker.Valid}}}}}
	var out strings.Builder
	if err := m.Text(&out, 0); err != nil {
		t.Fatal(err)
	}
	const want = "mine under late: O in 1 of 3 runs of the scenarios that show it.\n" +
		"Found in each run of the scenarios that show them, 3 or more: 1 letter.\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("it says:\n%s\nand should end with:\n%s", out.String(), want)
	}
	m.Repeat = 1
	out.Reset()
	if _ = m.Text(&out, 0); strings.Contains(out.String(), "scenarios that") {
		t.Errorf("of single runs it says:\n%s", out.String())
	}
}
