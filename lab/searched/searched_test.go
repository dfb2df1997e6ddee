package searched

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/search/explore"
)

// TestRareCellsAreCellsOfTheMatrix that a search can be made for, without an aim.
func TestRareCellsAreCellsOfTheMatrix(t *testing.T) {
	t.Parallel()
	for _, c := range Rare() {
		if _, err := Count(t.Context(), c, 1, 1, explore.Random); err != nil {
			t.Error(err)
		}
		if rows, err := matrix.FindRows([]string{c.Row}); err != nil || rows[0].Name != c.Row {
			t.Errorf("%s: %v, %v", c, rows, err)
		}
	}
	if n := len(Rare()); n < 30 {
		t.Errorf("%d cells", n)
	}
}

// TestWorseThanAThird is said only where it is sure.
func TestWorseThanAThird(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		portfolio, best int
		worse           bool
	}{{10, 30, false}, {8, 30, false}, {1, 60, true}, {0, 5, false}, {0, 300, true}} {
		h := Hits{Seeds: 2000, Found: map[string]int{explore.Portfolio: c.portfolio,
			explore.Random: 1, explore.Walk: c.best}}
		if s, n := h.Best(); s != explore.Walk || n != c.best || h.WorseThanThird() != c.worse {
			t.Errorf("%+v: best %s with %d, worse than a third: %v", c, s, n, h.WorseThanThird())
		}
	}
}

// TestTimesAreTold: the median and the worst of what was found, and a list of what was not.
func TestTimesAreTold(t *testing.T) {
	t.Parallel()
	r := &Record{}
	order := []Cell{{"a", "pause", "S"}, {"b", "late", "L"}, {"c", none, "S"}}
	r.Clocked(Time{order[2], false, 900, 60_000}, order)
	r.Clocked(Time{order[0], true, 3, 400}, order)
	r.Clocked(Time{order[1], true, 9, 9_000}, order)
	r.Clocked(Time{order[1], true, 9, 2_000}, order)
	want := `
Of 3 letters of cells 2 were found. The median took 2000 ms of
processor time, the worst 2.0 s; 1 took more than half a second.
Not found:

| lock | fault | letter | runs | seconds |
|---|---|---|---|---|
| c | none | S | 900 | 60 |

`
	if diff := cmp.Diff(want, r.times()); diff != "" {
		t.Error(diff)
	}
}

// TestProgramsAreCompared with the letters of a matrix on real servers.
func TestProgramsAreCompared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const printed = `{"runs_per_second":2,"progress":{"runs":90},"found":[
		{"property":"S","class":"lease overrun","run":4,"real":{"confirmed":true}}]}`
	file := filepath.Join(dir, "redis-py.ttl.json")
	if err := os.WriteFile(file, []byte(printed), 0o644); err != nil {
		t.Fatal(err)
	}
	m := &matrix.Matrix{}
	m.Rows = []matrix.Row{{Name: "redis-py", Adapter: "redis-py", Variant: "ttl"},
		{Name: "other", Adapter: "other", Variant: "ttl"}}
	for _, letter := range []string{"S", "L", "R"} {
		m.Cells = append(m.Cells, matrix.Cell{Row: "redis-py", Column: "pause",
			Properties: []matrix.Property{{Name: letter, Found: checker.Violated}}})
	}
	got, err := ReadPrograms(dir, m)
	want := []Program{{Row: "redis-py", Runs: 90, Rate: 2, Missed: []string{"L"},
		Found: []Found{{"S", "lease overrun", 4, true}}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := ReadPrograms(t.TempDir(), m); err == nil {
		t.Error("a directory without a library is taken")
	}
}

// TestClockEndsWithTheProcessorTime of a cell that is safe, and finds one that is not.
func TestClockEndsWithTheProcessorTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cell  Cell
		found bool
	}{{Cell{"getset", "pause", "S"}, true}, {Cell{"token-lua", none, "S"}, false}} {
		used := time.Duration(0)
		got, err := Clock(t.Context(), c.cell, 100*time.Millisecond, func() time.Duration {
			used += time.Millisecond // each run that is planned takes so long
			return used
		})
		if err != nil || got.Found != c.found || got.Runs > 200 {
			t.Errorf("%v: found %v in %d runs, %v", c.cell, got.Found, got.Runs, err)
		}
	}
}
