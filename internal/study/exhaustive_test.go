package study

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/matrix"
)

func someCells(t *testing.T) ExhaustiveSearch {
	t.Helper()
	return ExhaustiveSearch{Rows: []string{"setnx", "token-lua constant"}, Columns: []string{
		"none", "pause"}, Each: 300, Jobs: 2}
}

// TestDecideFindsWhatIsKnown: a lock without a lease bears a pause, one with a lease does not.
func TestDecideFindsWhatIsKnown(t *testing.T) {
	x := someCells(t)
	var record bytes.Buffer
	x.Out = &record
	d, err := x.Decide(t.Context())
	if err != nil || d.Partial != "" {
		t.Fatal(d.Partial, err)
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
	lines, err := ReadLines(strings.NewReader(record.String() + `{"row":"setnx","col`)) // cut off
	if err != nil {
		t.Fatal(err)
	}
	x.Known, x.Out = lines, nil
	x.Tell = func(int, int, *ExhaustiveCell) { t.Error("what is known was gone through again") }
	again, err := x.Decide(t.Context())
	if err != nil || !cmp.Equal(d.Cells, again.Cells) {
		t.Errorf("%v\n%s", err, cmp.Diff(d.Cells, again.Cells))
	}
}

// TestDecideCanBeInterrupted anywhere: what was gone through is kept, and in the end everything is
// as if nobody had interrupted it.
func TestDecideCanBeInterrupted(t *testing.T) {
	x := someCells(t)
	want, err := x.Decide(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for parts := 0; ; parts++ {
		ctx, stop := context.WithCancel(t.Context())
		var record bytes.Buffer
		x.Out = &record
		x.Tell = func(int, int, *ExhaustiveCell) { stop() }
		d, err := x.Decide(ctx)
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

// TestCellsAreComparedWithWhatWasMeasured reads what was measured from its document, and puts the
// comparison into the page, once.
func TestCellsAreComparedWithWhatWasMeasured(t *testing.T) {
	dir := t.TempDir()
	if m, err := readMeasured(dir); m != nil || err != nil {
		t.Fatalf("%v, %v: nothing was measured", m, err)
	}
	found := func(property string, r checker.Result) matrix.Property {
		return matrix.Property{Name: property, Found: r}
	}
	saved := newMeasured(&matrix.Matrix{Environment: "process", Cells: []matrix.Cell{
		{Row: "setnx", Column: "none"}, {Row: "setnx", Column: "pause"},
		{Row: "setnx", Column: "late", Properties: []matrix.Property{
			found("R", checker.Violated), found("S", checker.Unknown)}},
		{Row: "setnx", Column: "crash", Impossible: "it is not"},
		{Row: "token-lua constant", Column: "none", Properties: []matrix.Property{
			found("S", checker.Violated)}},
		{Row: "token-lua constant", Column: "pause", Properties: []matrix.Property{
			found("S", checker.Violated), found("L", checker.Violated), found("O", checker.Valid)}},
		{Row: "token-lua constant", Column: "late", Properties: []matrix.Property{
			found("S", checker.Unknown)}},
		{Row: "token-lua constant", Column: "crash", Elsewhere: true},
	}})
	if err := saved.save(dir); err != nil {
		t.Fatal(err)
	}
	m, err := readMeasured(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		row, column, letters string
		ok                   bool
	}{
		{"setnx", "none", "", true}, {"setnx", "pause", "", true}, {"setnx", "late", "R", true},
		{"setnx", "crash", "", false},
		{"token-lua constant", "none", "S", true}, {"token-lua constant", "pause", "SL", true},
		{"token-lua constant", "late", "", false},
		{"token-lua constant", "crash", "", false}, {"local", "none", "", false},
	} {
		if letters, ok := m.of(c.row, c.column); strings.Join(letters, "") != c.letters || ok != c.ok {
			t.Errorf("%s under %s: %v %v", c.row, c.column, letters, ok)
		}
	}
	const page = "# Which lock survives which fault\n\n## Not possible\n"
	d, err := someCells(t).Decide(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	once := d.Compare([]byte(page), m)
	if twice := d.Compare(once, m); !bytes.Equal(once, twice) {
		t.Error(cmp.Diff(string(once), string(twice)))
	}
	for _, want := range []string{"| setnx | = | = · |", "| token-lua constant | −S | +O · |",
		"2 of 4 cells have the same letters", exhaustiveBegin, "## Not possible"} {
		if !strings.Contains(string(once), want) {
			t.Errorf("%q is missing in\n%s", want, once)
		}
	}
	var text, md strings.Builder
	if err := d.Text(&text); err != nil || !strings.Contains(text.String(), "4 of 4 cells") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if err := d.Markdown(&md, m); err != nil ||
		!strings.Contains(md.String(), "### token-lua constant") ||
		!strings.Contains(md.String(), "| pause | SLO | SL | SLO |") {
		t.Errorf("%v\n%s", err, md.String())
	}
}

// TestDecidedIsReadBack.
func TestDecidedIsReadBack(t *testing.T) {
	d, err := someCells(t).Decide(t.Context())
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
	if _, err := (ExhaustiveSearch{Rows: []string{"x"}, Each: 1}).Decide(t.Context()); err == nil {
		t.Error("there is no lock x")
	}
}
