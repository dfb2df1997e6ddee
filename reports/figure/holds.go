package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/view"
)

// maxBars bounds the bars of the hold chart. Of more, those around the violation are drawn.
const maxBars = 600

// gantt draws one row per client: waits as lines, holds as bars, leases as outlines, and the
// overlap in red across.
type gantt struct {
	waits   []record.Call
	holds   []record.Hold
	witness *view.Violation
	rows    map[int]int // of the clients that are drawn
}

// Plot implements plot.Plotter.
func (g gantt) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	x := func(t int64) vg.Length { return min(tx(units.Seconds(t)), c.Max.X) }
	half := (ty(1) - ty(0)) / 3.4
	for _, w := range g.waits {
		y := ty(float64(g.rows[w.Process]))
		c.StrokeLine2(draw.LineStyle{Color: colorMuted, Width: vg.Points(1)}, x(w.From), y, x(w.To), y)
	}
	for _, h := range g.holds {
		y := ty(float64(g.rows[h.Process]))
		if lease := h.BelievedEnd(); lease != record.Forever && lease > h.End && g.leased(&h) {
			outline := box(x(h.From), x(lease), y-half, y+half)
			c.StrokeLines(draw.LineStyle{Color: colorOK, Width: vg.Points(0.7), Dashes: []vg.Length{2, 2}},
				append(outline, outline[0]))
		}
		c.FillPolygon(colorOK, box(x(h.From), max(x(h.End), x(h.From)+0.6), y-half, y+half))
	}
	if w := g.witness; w != nil && w.Together {
		g.overlap(c, x, ty, half)
	}
}

// leased reports whether the lease of a hold is of interest when the hold is over.
func (g gantt) leased(h *record.Hold) bool {
	return !view.Orderly(h) || g.witness != nil && g.witness.HasHold(h.Process, h.N)
}

// overlap is hatched, framed and named, since colour alone does not reach every reader.
func (g gantt) overlap(c draw.Canvas, x func(int64) vg.Length, ty func(float64) vg.Length,
	half vg.Length) {
	lo, hi := len(g.rows), 0
	for _, h := range g.witness.Holds {
		lo, hi = min(lo, g.rows[h.Process]), max(hi, g.rows[h.Process])
	}
	x0, x1 := x(g.witness.From), x(g.witness.To)
	x1 = max(x1, x0+2)
	y0, y1 := ty(float64(lo))-half, ty(float64(hi))+half
	frame := box(x0, x1, y0, y1)
	hatch := draw.LineStyle{Color: colorBad, Width: vg.Points(0.7)}
	for d := x0 - (y1 - y0); d < x1; d += 6 {
		// The part of the diagonal from (d, y0) that lies within the frame.
		a, b := max(d, x0), min(d+(y1-y0), x1)
		if a < b {
			c.StrokeLine2(hatch, a, y0+(a-d), b, y0+(b-d))
		}
	}
	c.StrokeLines(draw.LineStyle{Color: colorBad, Width: vg.Points(1.4)}, append(frame, frame[0]))
	style := text(colorBad, 10)
	style.Font.Weight = 2 // bold
	width := style.Width(g.witness.Label())
	left := max(c.Min.X, min((x0+x1-width)/2, c.Max.X-width))
	c.FillText(style, vg.Point{X: left, Y: y1 + 3}, g.witness.Label())
}

// holdFigure returns the hold chart. If there are too many holds to tell apart, it returns none,
// unless the chart shows a violation.
func holdFigure(v *view.View) (*Figure, error) {
	w, all := v.First(), len(v.Grants())
	if all == 0 || all > maxBars && w == nil {
		return nil, nil
	}
	clients := v.Lanes()
	if len(clients) > 24 {
		clients = clients[:24]
	}
	g := gantt{witness: w, rows: map[int]int{}}
	var names []plot.Tick
	for i, p := range clients {
		g.rows[p] = len(clients) - 1 - i
		names = append(names, plot.Tick{Value: float64(g.rows[p]), Label: view.Who(p)})
	}
	g.fill(v)
	fig := overTime(v, "holds", "Hold chart", "Who waited and who was inside, one row per client.", "")
	fig.plot.Add(g)
	fig.plot.Y.Tick.Marker = plot.ConstantTicks(names)
	fig.plot.Y.Min, fig.plot.Y.Max = -0.7, float64(len(clients))+1.3
	fig.height = vg.Points(100 + 26*float64(len(clients)))
	if n := len(g.holds); n < all {
		fig.Title += fmt.Sprintf(" (%d of %s)", n, units.Count(all, "acquisition"))
		return fig, nil
	}
	return fig.countedOf(all, "acquisition"), nil
}

// fineTicks returns the usual ticks, with enough digits to tell one label from the next.
func fineTicks(lo, hi float64) []plot.Tick {
	fine := math.Pow(10, math.Ceil(3-math.Log10(hi-lo)))
	return relabel(plot.DefaultTicks{}.Ticks(lo, hi), func(v float64) string {
		return strconv.FormatFloat(math.Round(v*fine)/fine, 'f', -1, 64)
	})
}

// fill chooses the calls and holds to draw: at most maxBars of each, nearest to the violation
// first.
func (g *gantt) fill(v *view.View) {
	for _, c := range v.Calls {
		if _, ok := g.rows[c.Process]; ok {
			g.waits = append(g.waits, c)
		}
	}
	for _, h := range v.Grants() {
		if _, ok := g.rows[h.Process]; ok {
			g.holds = append(g.holds, h)
		}
	}
	at := int64(0)
	if g.witness != nil {
		at = g.witness.From
	}
	g.waits = nearest(g.waits, at, func(c record.Call) int64 { return c.From })
	g.holds = nearest(g.holds, at, func(h record.Hold) int64 { return h.From })
}

// nearest returns the maxBars of all that begin nearest to a stamp, in their order.
func nearest[T any](all []T, at int64, from func(T) int64) []T {
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(from(a), from(b)) })
	for len(all) > maxBars {
		if last := len(all) - 1; at-from(all[0]) > from(all[last])-at {
			all = all[1:]
		} else {
			all = all[:last]
		}
	}
	return all
}
