package figure

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/view"
)

// maxBars bounds the bars of the hold chart.
const maxBars = 600

// gantt draws one row per client: waits as lines, holds as bars, leases as outlines, and the
// overlap in red across.
type gantt struct {
	waits   []record.Call
	holds   []record.Hold
	witness *view.Violation
	rows    map[int]int // of the clients that are drawn
	lo, hi  int64
}

// Plot implements plot.Plotter.
func (g gantt) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	x := func(t int64) vg.Length { return tx(units.Seconds(min(g.hi, max(g.lo, t)))) }
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
	style.XAlign, style.Font.Weight = draw.XCenter, 2 // bold
	c.FillText(style, vg.Point{X: (x0 + x1) / 2, Y: y1 + 3}, g.witness.Label())
}

// holdFigure is the hold chart: around the violation if there is one, else the whole run if it is
// short enough to be read.
func holdFigure(v *view.View) (*Figure, error) {
	w := v.First()
	if len(v.Holds) == 0 {
		return nil, nil
	}
	lo, hi := ganttWindow(v, w)
	clients := v.Lanes()
	if len(clients) > 24 {
		clients = clients[:24]
	}
	g := gantt{witness: w, rows: map[int]int{}, lo: lo, hi: hi}
	var names []plot.Tick
	for i, p := range clients {
		g.rows[p] = len(clients) - 1 - i
		names = append(names, plot.Tick{Value: float64(g.rows[p]), Label: view.Who(p)})
	}
	g.fill(v)
	title := "Hold chart"
	if lo > 0 || hi < v.End {
		title += ", " + units.At(lo) + " to " + units.At(hi)
	}
	fig := newFigure("holds", title,
		fmt.Sprintf("Who waited and who was inside from %s to %s, one row per client.", units.At(lo),
			units.At(hi)), timeLabel, "")
	fig.plot.X.Min, fig.plot.X.Max = units.Seconds(lo), units.Seconds(hi)
	fig.plot.Add(bands{v.Faults, fig.plot.X.Min, fig.plot.X.Max}, g)
	fig.plot.X.Tick.Marker = plot.TickerFunc(fineTicks)
	fig.plot.Y.Tick.Marker = plot.ConstantTicks(names)
	fig.plot.Y.Min, fig.plot.Y.Max = -0.7, float64(len(clients))+0.9
	fig.height = vg.Points(90 + 26*float64(len(clients)))
	return fig, nil
}

// fineTicks are the usual ones, with as many digits as it takes to tell one label from the next.
func fineTicks(lo, hi float64) []plot.Tick {
	fine := math.Pow(10, math.Ceil(3-math.Log10(hi-lo)))
	return relabel(plot.DefaultTicks{}.Ticks(lo, hi), func(v float64) string {
		return strconv.FormatFloat(math.Round(v*fine)/fine, 'f', -1, 64)
	})
}

// ganttWindow is as wide as maxBars bars allow.
func ganttWindow(v *view.View, w *view.Violation) (lo, hi int64) {
	lo, hi = 0, max(v.End, 1)
	if w != nil {
		lo, hi = w.Extent(v)
		pad := max((hi-lo)/3, 1e6)
		return max(0, lo-pad), min(max(v.End, 1), hi+pad)
	}
	if all := v.Grants(); len(all) > maxBars {
		hi = all[maxBars-1].End
	}
	return lo, hi
}

// fill chooses what lies in the window, at most maxBars of each.
func (g *gantt) fill(v *view.View) {
	for _, c := range v.Calls {
		if _, ok := g.rows[c.Process]; ok && c.From < g.hi && c.To > g.lo && len(g.waits) < maxBars {
			g.waits = append(g.waits, c)
		}
	}
	for _, h := range v.Grants() {
		if _, ok := g.rows[h.Process]; ok && h.From <= g.hi && h.End >= g.lo && len(g.holds) < maxBars {
			g.holds = append(g.holds, h)
		}
	}
}
