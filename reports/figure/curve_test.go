package figure

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/reports/reporttest"
)

// TestTheCurveIsDrawn of a run that does a counterexample again, also if it has few grants, and of
// no other.
func TestTheCurveIsDrawn(t *testing.T) {
	t.Parallel()
	v := reporttest.View(t, reporttest.NewRun(t, reporttest.Scene{Clients: 2, Cycles: 1}))
	curves := func() (n int) {
		figs, err := Telling(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range figs {
			if f.Name == curveName {
				n++
				if svg, err := f.svg(); err != nil || !strings.Contains(string(svg), "share of 10 runs") ||
					!strings.Contains(f.Title, "at step 6") {
					t.Errorf("%s: %s %v", f.Title, svg, err)
				}
			}
		}
		return n
	}
	if n := curves(); n > 0 {
		t.Error("a curve without a counterexample")
	}
	v.Curve = counterexample.NewCurve(10, []counterexample.Point{{}, {Steps: 6, Violations: 10}})
	if n := curves(); n != 1 {
		t.Errorf("%d curves", n)
	}
}
