package figure

import (
	"fmt"

	"gonum.org/v1/plot/plotter"

	"github.com/lockbench/lockbench/reports/view"
)

const curveName = "decided"

// curveFigure shows how likely the violation of a counterexample was from each of its steps on.
func curveFigure(v *view.View) (*Figure, error) {
	c := v.Curve
	if c == nil {
		return nil, nil
	}
	title := "Decided before the first step"
	if c.Decided > 0 {
		title = fmt.Sprintf("Decided at step %d of the counterexample", c.Decided)
	}
	f := newFigure(curveName, title, c.String(), "steps done again, then at random",
		"share of violations")
	f.grid()
	var points, decided plotter.XYs
	for _, p := range c.Points {
		points = append(points, plotter.XY{X: float64(p.Steps), Y: c.Share(p)})
	}
	for _, y := range []float64{0, 1} {
		decided = append(decided, plotter.XY{X: float64(c.Decided), Y: y})
	}
	f.plot.Y.Min, f.plot.Y.Max = 0, 1
	f.plot.X.Min, f.plot.X.Max = 0, points[len(points)-1].X
	if err := f.line(stroke{name: "decided", color: colorBad, width: 1}, decided); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("share of %d runs", c.Runs)
	return f, f.line(stroke{name: name, color: colorDeep, width: 1.5}, points)
}
