package choose

import (
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// TestAVariantKeepsWhatEachRunKept: one run that breaks a property is enough, runs of other moments
// and controls do not count, and nothing is kept if nothing is asked for.
func TestAVariantKeepsWhatEachRunKept(t *testing.T) {
	run := func(nemesis string, l checker.Result) matrix.Result {
		return matrix.Result{Nemesis: nemesis, Finding: batch.Finding{
			Properties: map[string]checker.Result{"L": l, "S": checker.Violated}}}
	}
	control := run("pause", checker.Violated)
	control.Control = true
	other := run("pause:between", checker.Violated)
	for _, c := range []struct {
		name    string
		runs    []matrix.Result
		letters []string
		want    int
	}{
		{"kept in both runs", []matrix.Result{run("pause", checker.Valid), control, other,
			run("pause", checker.Valid)}, []string{"L"}, 2},
		{"broken in one", []matrix.Result{run("pause", checker.Valid), run("pause", checker.Violated)},
			[]string{"L"}, 0},
		{"not judged in one", []matrix.Result{run("pause", checker.Valid), run("pause", checker.Unknown)},
			[]string{"L"}, 0},
		{"another letter is broken", []matrix.Result{run("pause", checker.Valid)}, []string{"L", "S"}, 0},
		{"no run", nil, []string{"L"}, 0},
		{"nothing is asked for", []matrix.Result{run("pause", checker.Valid)}, nil, 0},
	} {
		r := matrix.Row{Name: "x", Adapter: "y"}
		s := newSource(&matrix.Matrix{Rows: []matrix.Row{r}, Cells: []matrix.Cell{{Row: "x",
			Column: "pause", Runs: c.runs}}}, nil, nil)
		runs := 0
		if found := keeping(s, r, harness.Plan{Nemesis: "pause"}, c.letters); found != nil {
			runs = found.Runs
		}
		if runs != c.want {
			t.Errorf("%s: %d runs, want %d", c.name, runs, c.want)
		}
	}
}
