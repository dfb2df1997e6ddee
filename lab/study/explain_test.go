package study

import (
	"math"
	"os"
	"testing"
)

// TestTheSimulatorShowsWhatRedisShows compares the recorded soaks: what is not luck has a cause
// that is written down, and nothing is written down that is not there.
func TestTheSimulatorShowsWhatRedisShows(t *testing.T) {
	b, err := ReadBook(os.DirFS("../results"))
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]bool{}
	for _, c := range b.contrasts() {
		if why[c.Why] = true; c.Why == "" {
			t.Errorf("%s, %s: %s in %d of %d runs on Redis, in %d of %d in the simulator, and no reason",
				c.Row, c.Column, c.Property, c.Real.Hits, c.Real.Of, c.Sim.Hits, c.Sim.Of)
		}
	}
	for _, e := range explanations().Rates {
		if !why[e.Reason] {
			t.Errorf("%v, %v: there is no difference any more", e.Rows, e.Columns)
		}
	}
}

// TestAContrastIsNoLuck knows the chances of small tables.
func TestAContrastIsNoLuck(t *testing.T) {
	for _, c := range []struct {
		a, n, b, m int
		want       float64
	}{{0, 20, 20, 20, 1.45e-11}, {3, 4, 1, 4, 0.4857}, {5, 5, 5, 5, 1}, {2, 20, 0, 20, 0.487}} {
		x := contrast{Real: HitRate{Hits: c.a, Of: c.n}, Sim: HitRate{Hits: c.b, Of: c.m}}
		if p := x.chance(); math.Abs(p/c.want-1) > 0.01 {
			t.Errorf("%d of %d and %d of %d: %g, not %g", c.a, c.n, c.b, c.m, p, c.want)
		}
	}
}

// TestAContrastIsFound plants a letter that only one environment has.
func TestAContrastIsFound(t *testing.T) {
	hit := func(n int) []HitRate {
		return []HitRate{{Row: "setnx", Column: "crash", Property: "D", Hits: n, Of: 20},
			{Row: "setnx", Column: "crash", Property: "R", Hits: n / 10, Of: 20}}
	}
	b := &Book{Soaks: []*Soak{{Environment: "process", Found: hit(20)},
		{Environment: "sim", Found: hit(2)}}}
	if got := b.contrasts(); len(got) != 1 || got[0].Property != "D" || got[0].Why != "" {
		t.Errorf("%+v", got)
	}
}
