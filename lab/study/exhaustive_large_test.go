package study

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/batch/batchtest"
)

func someCells() ExhaustiveSearch {
	return ExhaustiveSearch{Rows: []string{"setnx", "token-lua constant"}, Columns: []string{
		"none", "pause"}, Each: testenv.Large(300, 100), Jobs: 2}
}

// first is someCells decided, once for all tests, and the record of that.
var first struct {
	sync.Once
	decided *ExhaustiveReport
	lines   []Line
	err     error
}

// goneThrough are someCells with everything in the record: what they decide costs nothing.
func goneThrough(t *testing.T) ExhaustiveSearch {
	t.Helper()
	first.Do(func() {
		x, record := someCells(), new(bytes.Buffer)
		x.Out = record
		first.decided, first.err = x.Run(context.Background())
		record.WriteString(`{"row":"setnx","col`) // cut off
		if first.err == nil {
			first.lines, first.err = ReadLines(record)
		}
	})
	if first.err != nil {
		t.Fatal(first.err)
	}
	x := someCells()
	x.Known = first.lines
	x.Tell = func(int, int, *ExhaustiveCell) { t.Error("what is known was gone through again") }
	return x
}

// TestTheSearchFindsWhatIsKnown: a lock without a lease bears a pause, one with a lease does not.
func TestTheSearchFindsWhatIsKnown(t *testing.T) {
	x := goneThrough(t)
	d := first.decided
	if d.Partial != "" {
		t.Fatal(d.Partial)
	}
	for _, c := range []struct{ row, column, letters string }{{"setnx", "none", ""},
		{"setnx", "pause", ""}, {"token-lua constant", "none", ""}, {"token-lua constant", "pause",
			"SLO"}} {
		got := d.Cell(c.row, c.column)
		if strings.Join(got.Properties, "") != c.letters || got.Finished(2, 1) < 0 ||
			got.Schedules() > freely*x.Each {
			t.Errorf("%s under %s: %v, %d schedules, 2 clients once to %d preemptions", c.row, c.column,
				got.Properties, got.Schedules(), got.Finished(2, 1))
		}
	}
	again, err := x.Run(t.Context())
	if err != nil || !cmp.Equal(d.Cells, again.Cells) {
		t.Errorf("%v\n%s", err, cmp.Diff(d.Cells, again.Cells))
	}
}

// TestTheSearchCanBeInterrupted anywhere: what was gone through is kept, and in the end everything
// is as if it had not been interrupted.
func TestTheSearchCanBeInterrupted(t *testing.T) {
	want, err := goneThrough(t).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	x := someCells()
	for parts := 0; ; parts++ {
		ctx, stop := context.WithCancel(t.Context())
		var record bytes.Buffer
		x.Out = &record
		x.Tell = func(int, int, *ExhaustiveCell) { stop() }
		d, err := x.Run(ctx)
		lines, wrong := ReadLines(&record)
		x.Known = append(x.Known, lines...)
		if wrong != nil || len(d.Cells) != len(want.Cells) || ctx.Err() != nil && err == nil {
			t.Fatal(wrong, err)
		}
		if stop(); d.Partial == "" {
			if parts < 4 {
				t.Errorf("it was interrupted %d times", parts)
			}
			for i := range d.Cells { // of an interrupted space only what was found is kept
				d.Cells[i].Spaces = slices.DeleteFunc(d.Cells[i].Spaces, func(s Space) bool { return s.Cut })
			}
			if !cmp.Equal(want.Cells, d.Cells) {
				t.Error(cmp.Diff(want.Cells, d.Cells))
			}
			return
		}
		if !strings.Contains(d.Partial, "interrupted") {
			t.Errorf("%q", d.Partial)
		}
	}
}

// TestCellsAreComparedWithWhatWasMeasured: the letters of both, with a sign where they differ.
func TestCellsAreComparedWithWhatWasMeasured(t *testing.T) {
	d, err := goneThrough(t).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := Book{Exhaustive: d, Matrix: measuredMatrix(t, map[[2]string]string{
		{"setnx", "none"}: "", {"setnx", "pause"}: "", {"setnx", "late"}: "R",
		{"token-lua constant", "none"}: "S", {"token-lua constant", "pause"}: "SL",
		{"token-lua constant", "late"}: "?",
	})}
	for _, c := range []struct {
		row, column, letters string
		ok                   bool
	}{
		{"setnx", "none", "", true}, {"setnx", "pause", "", true}, {"setnx", "late", "R", true},
		{"setnx", "minority-loss", "", false},
		{"token-lua constant", "none", "S", true}, {"token-lua constant", "pause", "SL", true},
		{"token-lua constant", "late", "S", true}, {"local", "none", "", false},
	} {
		if letters, ok := b.measured(c.row, c.column); strings.Join(letters, "") != c.letters ||
			ok != c.ok {
			t.Errorf("%s under %s: %v %v", c.row, c.column, letters, ok)
		}
	}
	pages := map[string]string{}
	for _, p := range b.Pages() {
		pages[p.Name] = string(p.Text)
	}
	for name, want := range map[string][]string{
		"exhaustive.md": {"| [setnx](verdicts/setnx.md) | 2 | - |",
			"| [token-lua constant](verdicts/token-lua.md#token-lua-constant) | 0 | none −S, pause +O · |",
			"4 have exactly the letters that runs on"},
		"verdicts/token-lua.md": {"## token-lua constant", "| pause | SLO | SL ~~O~~ | SLO |",
			"- pause: **O** in the simulator only. ", "- none: **S** on Redis only."},
		"verdicts/setnx.md": {"| pause | - | - | - |",
			"Other faults are not possible: it uses one Redis"},
	} {
		for _, w := range want {
			if !strings.Contains(pages[name], w) {
				t.Errorf("%s: %q is missing in\n%s", name, w, pages[name])
			}
		}
	}
	var text strings.Builder
	if err := d.Text(&text); err != nil || !strings.Contains(text.String(), "4 of 4 cells") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// measuredMatrix is a matrix with these letters; "?" is unknown.
func measuredMatrix(t *testing.T, cells map[[2]string]string) *matrix.Matrix {
	t.Helper()
	var results []matrix.Result
	o := matrix.Options{Rows: []string{"setnx", "token-lua"},
		Columns: []string{"none", "pause", "late", "minority-loss"}}
	for at, letters := range cells {
		rest := checker.Valid
		if letters == "?" {
			rest = checker.Unknown
		}
		results = append(results, matrix.Result{Row: at[0], Column: at[1], Nemesis: at[1], Attempt: 1,
			Finding: batch.NewFinding(batchtest.Verdict(rest, letters), nil)})
	}
	m, err := matrix.New(o, results)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTheReportIsReadBack writes one and reads it, and refuses what is none.
func TestTheReportIsReadBack(t *testing.T) {
	d, err := goneThrough(t).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := ReadExhaustive(&b)
	if err != nil || !cmp.Equal(d, again) {
		t.Errorf("%v\n%s", err, cmp.Diff(d, again))
	}
	for _, bad := range []string{"", "{", `{"format": 77}`} {
		if _, err := ReadExhaustive(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if _, err := (ExhaustiveSearch{Rows: []string{"x"}, Each: 1}).Run(t.Context()); err == nil {
		t.Error("there is no lock x")
	}
}
