package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/internal/units"
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
	return fig, fig.scatter(v.End, waited, held)
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
		name   string
		values []float64
		color  color.Color
		dash   []vg.Length
	}{{"waited", waits, colorInfo, []vg.Length{4, 2}}, {"held", holds, colorDeep, nil}} {
		slices.Sort(d.values)
		lo, hi = min(lo, d.values[0]), max(hi, d.values[len(d.values)-1])
		var pts plotter.XYs
		step := max(1, len(d.values)/300)
		for i := 0; i < len(d.values); i += step {
			pts = append(pts, plotter.XY{X: d.values[i], Y: float64(i) / float64(len(d.values))}, plotter.XY{
				X: d.values[i], Y: float64(i+1) / float64(len(d.values))})
		}
		pts = append(pts, plotter.XY{X: d.values[len(d.values)-1], Y: 1})
		if err := fig.line(d.name, pts, d.color, 1.5, d.dash...); err != nil {
			return nil, err
		}
	}
	fig.plot.X.Scale, fig.plot.X.Tick.Marker = plot.LogScale{}, milliTicks{}
	fig.plot.X.Min = math.Pow(10, math.Floor(math.Log10(lo)))
	fig.plot.X.Max = max(10*fig.plot.X.Min, math.Pow(10, math.Ceil(math.Log10(hi))))
	fig.plot.Y.Min, fig.plot.Y.Max = 0, 1
	fig.plot.Legend.Left = true
	return fig, nil
}
