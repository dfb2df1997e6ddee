package figure

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/view"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	for _, d := range []struct {
		values []float64
		stroke
	}{
		{waits, stroke{name: "waited", color: colorInfo, dashes: []vg.Length{4, 2}}},
		{holds, stroke{name: "held", color: colorDeep}},
	} {
		slices.Sort(d.values)
		n := len(d.values)
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
	logarithmic(&fig.plot.X, fig.plot.X.Min, fig.plot.X.Max)
	fig.plot.Y.Min, fig.plot.Y.Max = 0, 1
	return fig.countedOf(len(holds), "acquisition"), nil
}

// maxShares bounds the clients with a line of their own. Beyond it, the plot shows the first, the
// last and the middle.
const maxShares = 8

// fairnessFigure shows how the grants of each client add up.
func fairnessFigure(v *view.View) (*Figure, error) {
	n := len(v.Clients)
	if n < 2 || len(v.Holds) == 0 {
		return nil, nil
	}
	grants := map[int][]int64{}
	for _, h := range v.Grants() {
		grants[h.Process] = append(grants[h.Process], h.From)
	}
	counts := make([]float64, 0, n)
	for _, p := range v.Clients {
		counts = append(counts, float64(len(grants[p])))
	}
	j := jain(counts)
	fig := overTime(v, "fairness", fmt.Sprintf("Fairness: grants of each client, Jain's index %.2f",
		j),
		fmt.Sprintf(
			"Grants of each client over time. Jain's fairness index is %.2f; 1 is equal shares, %.2f "+
				"is all to one.", j, 1/float64(n)), "grants so far")
	for i, p := range shown(v.Clients, grants) {
		line := strokeOf(i, view.Who(p))
		line.stairs = true
		if err := fig.line(line, stairs(grants[p], v.End)); err != nil {
			return nil, err
		}
	}
	fig.plot.Y.Min, fig.plot.Y.Max = 0, 1.7*max(1, fig.plot.Y.Max)
	return fig.countedOf(len(v.Grants()), "acquisition"), nil
}

// shown returns all clients. Of many it returns the one with the most grants, the one with the
// fewest, and the one in the middle.
func shown(clients []int, grants map[int][]int64) []int {
	if len(clients) <= maxShares {
		return clients
	}
	cs := slices.Clone(clients)
	slices.SortStableFunc(cs, func(a, b int) int { return len(grants[b]) - len(grants[a]) })
	return []int{cs[0], cs[len(cs)/2], cs[len(cs)-1]}
}

// stairs counts stamps over time, in at most a few hundred steps.
func stairs(stamps []int64, end int64) plotter.XYs {
	slices.Sort(stamps)
	pts := plotter.XYs{{}}
	every := max(1, len(stamps)/300)
	for i := every - 1; i < len(stamps); i += every {
		pts = append(pts, plotter.XY{X: units.Seconds(stamps[i]), Y: float64(i + 1)})
	}
	return append(pts, plotter.XY{X: units.Seconds(end), Y: float64(len(stamps))})
}

// jain returns (Σx)² / (n Σx²): 1 for equal shares, 1/n if one has all.
func jain(xs []float64) float64 {
	var sum, squares float64
	for _, x := range xs {
		sum, squares = sum+x, squares+x*x
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (float64(len(xs)) * squares)
}
