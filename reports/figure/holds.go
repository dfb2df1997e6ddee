package figure

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/view"
)

// maxBars bounds the bars of the hold chart.
const maxBars = 600

// gantt draws one row per client: waits as lines, holds as bars, leases as outlines, and the
// overlap in red across.
type gantt struct {
	waits   []bar
	holds   []bar
	witness *view.Violation
	rows    map[int]int
	lo, hi  float64
}

// bar is a time in the row of a client; lease is 0 if there is none to show.
type bar struct {
	process         int
	from, to, lease float64
}

// Plot implements plot.Plotter.
func (g gantt) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	x := func(t float64) vg.Length { return tx(min(g.hi, max(g.lo, t))) }
	half := (ty(1) - ty(0)) / 3.4
	rect := func(x0, x1, y vg.Length, h vg.Length) []vg.Point {
		return []vg.Point{{X: x0, Y: y - h}, {X: x1, Y: y - h}, {X: x1, Y: y + h}, {X: x0, Y: y + h}}
	}
	for _, w := range g.waits {
		y := ty(float64(g.rows[w.process]))
		c.StrokeLine2(draw.LineStyle{Color: colorMuted, Width: vg.Points(1)}, x(w.from), y, x(w.to), y)
	}
	for _, h := range g.holds {
		y := ty(float64(g.rows[h.process]))
		if h.lease > h.to {
			outline := rect(x(h.from), x(h.lease), y, half)
			c.StrokeLines(draw.LineStyle{Color: colorOK, Width: vg.Points(0.7), Dashes: []vg.Length{2, 2}},
				append(outline, outline[0]))
		}
		c.FillPolygon(colorOK, rect(x(h.from), max(x(h.to), x(h.from)+0.6), y, half))
	}
	if w := g.witness; w != nil && w.Together {
		g.overlap(c, x, ty, half)
	}
}

// overlap is hatched, framed and named, since colour alone does not reach every reader.
func (g gantt) overlap(c draw.Canvas, x func(float64) vg.Length, ty func(float64) vg.Length,
	half vg.Length) {
	lo, hi := len(g.rows), 0
	for _, h := range g.witness.Holds {
		lo, hi = min(lo, g.rows[h.Process]), max(hi, g.rows[h.Process])
	}
	x0, x1 := x(units.Seconds(g.witness.From)), x(units.Seconds(g.witness.To))
	x1 = max(x1, x0+2)
	y0, y1 := ty(float64(lo))-half, ty(float64(hi))+half
	frame := []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}, {X: x0, Y: y0}}
	hatch := draw.LineStyle{Color: colorBad, Width: vg.Points(0.7)}
	for d := x0 - (y1 - y0); d < x1; d += 6 {
		// The part of the diagonal from (d, y0) that lies within the frame.
		a, b := max(d, x0), min(d+(y1-y0), x1)
		if a < b {
			c.StrokeLine2(hatch, a, y0+(a-d), b, y0+(b-d))
		}
	}
	c.StrokeLines(draw.LineStyle{Color: colorBad, Width: vg.Points(1.4)}, frame)
	style := draw.TextStyle{Color: colorBad, Font: plot.DefaultFont, Handler: plot.DefaultTextHandler,
		XAlign: draw.XCenter}
	style.Font.Variant, style.Font.Size, style.Font.Weight = "Sans", vg.Points(10), 2
	c.FillText(style, vg.Point{X: (x0 + x1) / 2, Y: y1 + 3},
		g.witness.Label())
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
	g := gantt{witness: w, rows: map[int]int{}, lo: units.Seconds(lo), hi: units.Seconds(hi)}
	var names []plot.Tick
	for i, p := range clients {
		g.rows[p] = len(clients) - 1 - i
		names = append(names, plot.Tick{Value: float64(g.rows[p]), Label: view.Who(p)})
	}
	g.fill(v, w, lo, hi)
	fig := newFigure("holds", "Hold chart",
		fmt.Sprintf("Who waited and who was inside from %s to %s, one row per client.", units.At(lo),
			units.At(hi)), "time (s)", "")
	fig.addBands(v.Faults, g.lo, g.hi)
	fig.plot.Add(g)
	fig.plot.Y.Tick.Marker = plot.ConstantTicks(names)
	fig.plot.Y.Min, fig.plot.Y.Max = -0.7, float64(len(clients))+0.9
	fig.plot.X.Min, fig.plot.X.Max = g.lo, g.hi
	fig.plot.X.Tick.Marker = plot.TickerFunc(fineTicks)
	fig.height = vg.Points(90 + 26*float64(len(clients)))
	return fig, nil
}

// fineTicks are the usual ones, with as many digits as it takes to tell one label from the next.
func fineTicks(lo, hi float64) []plot.Tick {
	ts := plot.DefaultTicks{}.Ticks(lo, hi)
	for digits := 0; digits <= 9; digits++ {
		seen, again := map[string]bool{}, false
		for i := range ts {
			if ts[i].Label == "" {
				continue
			}
			ts[i].Label = strconv.FormatFloat(ts[i].Value, 'f', digits, 64)
			again = again || seen[ts[i].Label] || math.Abs(ts[i].Value-round(ts[i].Value, digits)) >
				(hi-lo)/100
			seen[ts[i].Label] = true
		}
		if !again {
			break
		}
	}
	return ts
}

func round(v float64, digits int) float64 {
	p := math.Pow(10, float64(digits))
	return math.Round(v*p) / p
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

func (g *gantt) fill(v *view.View, w *view.Violation, lo, hi int64) {
	for i := range v.Calls {
		o := &v.Calls[i]
		if _, ok := g.rows[o.Process]; ok && o.From < hi && o.To > lo && len(g.waits) < maxBars {
			g.waits = append(g.waits, bar{o.Process, units.Seconds(o.From), units.Seconds(o.To), 0})
		}
	}
	for _, h := range v.Grants() {
		if _, ok := g.rows[h.Process]; !ok || h.From > hi || h.End < lo || len(g.holds) >= maxBars {
			continue
		}
		b := bar{h.Process, units.Seconds(h.From), units.Seconds(h.End), 0}
		// A lease after an orderly release says nothing any more.
		orderly := h.Ended == record.Released && h.Answer == history.OK
		if lease := h.BelievedEnd(); lease != record.Forever && (!orderly || w != nil &&
			w.HasHold(h.Process, h.N)) {
			b.lease = units.Seconds(lease)
		}
		g.holds = append(g.holds, b)
	}
}
