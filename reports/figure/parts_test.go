package figure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/reports/reporttest"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// TestGolden pins what figures say: titles, legends, labels of axes and ticks.
func TestGolden(t *testing.T) {
	figs, err := Figures(reporttest.View(t, reporttest.NewRun(t,
		reporttest.Scene{Clients: 3, Cycles: 30,
			Fail: true})))
	if err != nil {
		t.Fatal(err)
	}
	figs = append(figs, Bars("latency", "ms", []Bar{BarOf("setnx", []float64{1.25}),
		BarOf("redlock", []float64{250, 140, 90})}))
	var b strings.Builder
	for _, f := range figs {
		fmt.Fprintf(&b, "%s: %s\n  %s\n  %s\n", f.Name, f.Title, f.Alt,
			strings.Join(drawn(t, f).texts, " | "))
	}
	golden.Compare(t, "figures.txt", b.String())
}

// TestHostileTextStaysText shows figures of a run that says something hostile wherever it may.
func TestHostileTextStaysText(t *testing.T) {
	figs, err := Figures(reporttest.View(t, reporttest.HostileRun(t)))
	if err != nil {
		t.Fatal(err)
	}
	shown, err := Show(figs)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range shown {
		for _, bad := range []string{"<img", "<script", "<svg onload", "</style", "\x00", "\x1b"} {
			if strings.Contains(string(f.SVG), bad) {
				t.Errorf("%s contains %q", f.Title, bad)
			}
		}
	}
}

func labels(ts []plot.Tick) (out []string) {
	for _, tick := range ts {
		if tick.Label != "" {
			out = append(out, tick.Label)
		}
	}
	return out
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		ticks  func(lo, hi float64) []plot.Tick
		want   string
	}{
		{0, 2, fineTicks, "[0 1 2]"},
		{12.34510, 12.34542, fineTicks, "[12.3451 12.3452 12.3453 12.3454]"},
		{0.2, 0.24, fineTicks, "[0.21 0.22 0.23 0.24]"},
		{0.01, 100, milliTicks{}.Ticks, "[10 µs 100 µs 1.0 ms 10 ms 100 ms]"},
		{0.5, 0.7, milliTicks{}.Ticks, "[]"},
	} {
		if got := fmt.Sprint(labels(c.ticks(c.lo, c.hi))); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// TestThinningKeepsTheExtremes may leave out what lies between others, and nothing else.
func TestThinningKeepsTheExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all plotter.XYs
		for range rapid.IntRange(50, 400).Draw(t, "points") {
			all = append(all, plotter.XY{X: rapid.Float64Range(0, 10).Draw(t, "x"),
				Y: rapid.Float64Range(1, 9).Draw(t, "y")})
		}
		limit := rapid.IntRange(10, 40).Draw(t, "limit")
		few := thin(all, limit, 10e9)
		_, _, low, high := plotter.XYRange(all)
		_, _, lowest, highest := plotter.XYRange(few)
		if lowest != low || highest != high {
			t.Errorf("from %v to %v became %v to %v", low, high, lowest, highest)
		}
		if len(few) > limit+2 {
			t.Errorf("%d points became %d, at most %d", len(all), len(few), limit)
		}
	})
}

// TestLabelsDoNotOverlap puts labels on a shelf.
func TestLabelsDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, at := make(shelf, 3), vg.Length(0)
		taken := map[int][][2]vg.Length{}
		for range 20 {
			at += vg.Length(rapid.IntRange(0, 9).Draw(t, "step"))
			end := at + vg.Length(rapid.IntRange(1, 30).Draw(t, "width"))
			row := s.place(at, end)
			for _, other := range taken[row] {
				if row >= 0 && at < other[1] {
					t.Fatalf("a label from %v to %v is put on %v", at, end, other)
				}
			}
			taken[row] = append(taken[row], [2]vg.Length{at, end})
		}
	})
}

func TestSlicesOfTime(t *testing.T) {
	for _, c := range []struct {
		t, end  int64
		n, want int
	}{{0, 100, 10, 0}, {9, 100, 10, 0}, {10, 100, 10, 1}, {99, 100, 10, 9}, {100, 100, 10, 9},
		{0, 0, 5, 0}} {
		if got := bin(c.t, c.end, c.n); got != c.want {
			t.Errorf("%d of %d lies in slice %d of %d, want %d", c.t, c.end, got, c.n, c.want)
		}
	}
}

func TestOfManyClientsThreeAreShown(t *testing.T) {
	grants, clients := map[int][]int64{}, []int{}
	for p := range 20 {
		clients = append(clients, p)
		grants[p] = make([]int64, (p*7)%20)
	}
	if got := fmt.Sprint(shown(clients, grants)); got != "[17 7 0]" {
		t.Errorf("shown are %s: the one with 19 grants, with 9 and with none are 17, 7 and 0", got)
	}
	if got := shown(clients[:4], grants); len(got) != 4 {
		t.Errorf("of four clients, %v are shown", got)
	}
}
