package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/view"
)

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
	top := 1.0
	for i, p := range shown(v.Clients, grants) {
		pts := stairs(grants[p], v.End)
		top = max(top, pts[len(pts)-1].Y)
		line := strokeOf(i, view.Who(p))
		line.stairs = true
		if err := fig.line(line, pts); err != nil {
			return nil, err
		}
	}
	fig.plot.Y.Min, fig.plot.Y.Max = 0, top*1.7
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
