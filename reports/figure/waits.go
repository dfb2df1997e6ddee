package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/view"
)

// waitFigure shows how long each client waited and was inside, over time.
func waitFigure(v *view.View) (*Figure, error) {
	all := v.Grants()
	if len(all) == 0 {
		return nil, nil
	}
	waited := cloud{name: "waited", shape: draw.TriangleGlyph{}, color: colorInfo}
	held := cloud{name: "held", shape: draw.CircleGlyph{}, color: colorDeep}
	for _, h := range all {
		waited.add(h.From, h.Call, h.From)
		held.add(h.From, h.From, h.End)
	}
	fig := overTime(v, "waits", "Waits and holds over time",
		fmt.Sprintf("Scatter plot of the waits and holds of %s over time.",
			units.Count(len(all), "acquisition")), "duration")
	return fig.countedOf(len(all), "acquisition"), fig.scatter(v.End, waited, held)
}

// distributionFigure shows how waits and holds are distributed: the share that was at most so long.
func distributionFigure(v *view.View) (*Figure, error) {
	var waits, holds []float64
	for _, h := range v.Grants() {
		waits, holds = append(waits, millis(h.From-h.Call)), append(holds, millis(h.End-h.From))
	}
	if len(holds) < 2 {
		return nil, nil
	}
	fig := newFigure("distribution", "How long clients waited, and how long they were inside",
		fmt.Sprintf("Cumulative distribution of waits and holds of %s.",
			units.Count(len(holds), "acquisition")), "duration", "share at most so long")
	fig.grid()
	lo, hi := math.Inf(1), 0.0
	for _, d := range []struct {
		values []float64
		stroke
	}{
		{waits, stroke{name: "waited", color: colorInfo, dashes: []vg.Length{4, 2}}},
		{holds, stroke{name: "held", color: colorDeep}},
	} {
		slices.Sort(d.values)
		n := len(d.values)
		lo, hi = min(lo, d.values[0]), max(hi, d.values[n-1])
		pts := plotter.XYs{{X: d.values[0]}}
		for i := 0; i < n; i += max(1, n/300) {
			pts = append(pts, plotter.XY{X: d.values[i], Y: float64(i+1) / float64(n)})
		}
		pts = append(pts, plotter.XY{X: d.values[n-1], Y: 1})
		d.width, d.stairs = 1.5, true
		if err := fig.line(d.stroke, pts); err != nil {
			return nil, err
		}
	}
	logarithmic(&fig.plot.X, lo, hi)
	fig.plot.Y.Min, fig.plot.Y.Max = 0, 1
	return fig.countedOf(len(holds), "acquisition"), nil
}
