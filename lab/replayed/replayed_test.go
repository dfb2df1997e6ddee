package replayed

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/lab/searched"
	"github.com/lockbench/lockbench/lab/study"
)

// TestCells: those of the matrix, with what the simulator shows beside Redis, and the worst letter
// first.
func TestCells(t *testing.T) {
	t.Parallel()
	b, err := study.ReadBook(os.DirFS("../results"))
	if err != nil {
		t.Fatal(err)
	}
	all := Cells(b)
	for cell, want := range map[string]string{
		"setnx, failover": "LODSR", "token-lua, pause": "S", "redlock per call, busy": "R",
		"setnx, pause": "",
	} {
		row, column, _ := strings.Cut(cell, ", ")
		got := ""
		if i := slices.IndexFunc(all, func(c Cell) bool {
			return c.Row == row && c.Column == column
		}); i >= 0 {
			got = strings.Join(all[i].Letters, "")
		}
		if got != want {
			t.Errorf("%s: %q", cell, got)
		}
	}
}

// TestFindAndKeep searches a counterexample once, and then has it.
func TestFindAndKeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := Cell{"local", "none", []string{"D", "S"}}
	if _, ok := Stored(c, dir); ok {
		t.Error("it is there before it was searched")
	}
	f, err := Find(t.Context(), c, dir, 5)
	if err != nil || f.Letter != "S" {
		t.Fatalf("%+v %v", f, err)
	}
	if again, ok := Stored(c, dir); !ok || again.File != f.File || again.Letter != "S" {
		t.Errorf("%+v, %v", again, ok)
	}
}

// TestFindWithTheTimesOfTheMatrix: a key that is left behind shows where no call is open for long.
func TestFindWithTheTimesOfTheMatrix(t *testing.T) {
	t.Parallel()
	c := Cell{"setnx-expire-lua-as-posted", "none", []string{"R"}}
	if f, err := Find(t.Context(), c, t.TempDir(), 2); err != nil || f.Letter != "R" {
		t.Errorf("%+v %v", f, err)
	}
}

// TestTable says of each cell what became of it, and the table of docs is made of the record.
func TestTable(t *testing.T) {
	t.Parallel()
	order := []Cell{{Row: "a", Column: "pause"}, {Row: "b", Column: "late"},
		{Row: "c", Column: "none"}, {Row: "d", Column: "busy"}}
	r := &Record{}
	r.Put(Result{Row: "d", Column: "busy"}, order)
	r.Put(Result{Row: "b", Column: "late", Letter: "L",
		Refused: "not replayable on real Redis yet: x"}, order)
	r.Put(Result{Row: "a", Column: "pause", Letter: "S", Times: 2}, order)
	r.Put(Result{Row: "a", Column: "pause", Letter: "S", Confirmed: 20, Times: 20, Again: 1, Steps: 9},
		order)
	r.Put(Result{Row: "c", Column: "none", Letter: "S", Confirmed: 3, Times: 20, TooSlow: true,
		Diverged: "too slow"}, order)
	want := `| a | pause S |

| not confirmed | lock and fault |
|---|---|
| refused: x | b late |
| 3 of 20, then too slow | c none |
| none is found | d busy |
`
	if got := r.table(); !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
	docs := os.DirFS("../results")
	kept, err := Read(docs)
	if err != nil || len(kept.Results) == 0 {
		t.Fatalf("%d results: %v", len(kept.Results), err)
	}
	text, err := os.ReadFile("../results/" + searched.Page)
	if err != nil || !strings.Contains(string(text), kept.table()) {
		t.Errorf("results/%s is not what %s says: %v", searched.Page, file, err)
	}
}
