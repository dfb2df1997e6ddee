package reports

import (
	"fmt"
	"image/color"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/history"
)

// maxBars bounds the bars of the hold chart.
const maxBars = 600

// gantt draws one row per client: waits as lines, holds as bars, leases as outlines, and the overlap in red across.
type gantt struct {
	waits   []bar
	holds   []bar
	witness *witness
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
			c.StrokeLines(draw.LineStyle{Color: colorOK, Width: vg.Points(0.7), Dashes: []vg.Length{2, 2}}, append(outline, outline[0]))
		}
		c.FillPolygon(colorOK, rect(x(h.from), max(x(h.to), x(h.from)+0.6), y, half))
	}
	if w := g.witness; w != nil && w.together {
		g.overlap(c, x, ty, half)
	}
}

// overlap is hatched, framed and named, since colour alone does not reach every reader.
func (g gantt) overlap(c draw.Canvas, x func(float64) vg.Length, ty func(float64) vg.Length, half vg.Length) {
	lo, hi := len(g.rows), 0
	for _, h := range g.witness.holds {
		lo, hi = min(lo, g.rows[h.Process]), max(hi, g.rows[h.Process])
	}
	x0, x1 := x(sec(g.witness.from)), x(sec(g.witness.to))
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
	style := draw.TextStyle{Color: colorBad, Font: plot.DefaultFont, Handler: plot.DefaultTextHandler, XAlign: draw.XCenter}
	style.Font.Variant, style.Font.Size, style.Font.Weight = "Sans", vg.Points(10), 2
	c.FillText(style, vg.Point{X: (x0 + x1) / 2, Y: y1 + 3}, "both inside, "+short(g.witness.overlap()))
}

// holdFigure is the hold chart: around the violation if there is one, else the whole run if it is short enough to be read.
func holdFigure(_ Run, f *facts, w *witness) (*figure, error) {
	if len(f.holds) == 0 {
		return nil, nil
	}
	lo, hi := ganttWindow(f, w)
	clients := lanesFor(f, w)
	if len(clients) > 24 {
		clients = clients[:24]
	}
	g := gantt{witness: w, rows: map[int]int{}, lo: sec(lo), hi: sec(hi)}
	var names []plot.Tick
	for i, p := range clients {
		g.rows[p] = len(clients) - 1 - i
		names = append(names, plot.Tick{Value: float64(g.rows[p]), Label: who(p)})
	}
	g.fill(f, w, lo, hi)
	fig := newFigure("holds", "Hold chart", fmt.Sprintf("Who waited and who was inside from %s to %s, one row per client.", seconds(lo), seconds(hi)), "time (s)", "")
	fig.addBands(f.faults, g.lo, g.hi)
	fig.plot.Add(g)
	fig.plot.Y.Tick.Marker = plot.ConstantTicks(names)
	fig.plot.Y.Min, fig.plot.Y.Max = -0.7, float64(len(clients))+0.9
	fig.plot.X.Min, fig.plot.X.Max = g.lo, g.hi
	fig.height = vg.Points(90 + 26*float64(len(clients)))
	return fig, nil
}

// ganttWindow is as wide as maxBars bars allow.
func ganttWindow(f *facts, w *witness) (lo, hi int64) {
	lo, hi = 0, max(f.end, 1)
	if w != nil {
		lo, hi = w.extent(f)
		pad := max((hi-lo)/3, 1e6)
		return max(0, lo-pad), min(max(f.end, 1), hi+pad)
	}
	if len(f.holds) > maxBars {
		hi = f.holds[maxBars-1].to
	}
	return lo, hi
}

func (g *gantt) fill(f *facts, w *witness, lo, hi int64) {
	for i := range f.ops {
		o := &f.ops[i]
		if _, ok := g.rows[o.process]; ok && o.call < hi && o.ret > lo && len(g.waits) < maxBars {
			g.waits = append(g.waits, bar{o.process, sec(o.call), sec(o.ret), 0})
		}
	}
	for i := range f.holds {
		h := &f.holds[i]
		if _, ok := g.rows[h.process]; !ok || h.from > hi || h.to < lo || len(g.holds) >= maxBars {
			continue
		}
		b := bar{h.process, sec(h.from), sec(h.to), 0}
		// A lease after an orderly release says nothing any more.
		if h.ended != "released" || w != nil && w.hold(h.process, h.n) {
			b.lease = sec(h.lease)
		}
		g.holds = append(g.holds, b)
	}
}

// fairnessFigure shows how often each client was granted the lock.
func fairnessFigure(_ Run, f *facts, _ *witness) (*figure, error) {
	n := len(f.clients)
	if n < 2 || n > 200 || len(f.holds) == 0 {
		return nil, nil
	}
	counts, row := make(plotter.Values, n), map[int]int{}
	var ticks []plot.Tick
	for i, p := range f.clients {
		row[p] = i
		if n <= 24 {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: fmt.Sprint(p)})
		}
	}
	for i := range f.holds {
		counts[row[f.holds[i].process]]++
	}
	fig := newFigure("fairness", fmt.Sprintf("Fairness: Jain's index %.2f", jain(counts)),
		fmt.Sprintf("Acquisitions per client. Jain's fairness index is %.2f; 1 is equal shares, %.2f is all to one.", jain(counts), 1/float64(n)), "client", "acquisitions")
	fig.grid()
	bars, err := plotter.NewBarChart(counts, vg.Points(min(28, 420/float64(n))))
	if err != nil {
		return nil, err
	}
	bars.Color, bars.LineStyle.Width = colorOK, 0
	fig.plot.Add(bars)
	fig.plot.Y.Min, fig.plot.X.Min, fig.plot.X.Max = 0, -0.6, float64(n)-0.4
	if ticks != nil {
		fig.plot.X.Tick.Marker = plot.ConstantTicks(ticks)
	}
	return fig, nil
}

// jain is (Σx)² / (n Σx²): 1 for equal shares, 1/n if one has all.
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

// recovery is how long after the beginning of a fault somebody was granted the lock again; 0: nobody was.
type recovery struct {
	fault fault
	took  time.Duration
	never bool
}

// recoveries looks for the first acquire that was invoked or still waiting after a fault and then granted.
func recoveries(f *facts) []recovery {
	var rs []recovery
	for i, x := range f.faults {
		if i == 24 {
			break
		}
		r := recovery{fault: x, never: true}
		for j := range f.ops {
			if o := &f.ops[j]; o.outcome == history.OK && o.ret > x.from && (r.never || o.ret-x.from < int64(r.took)) {
				r.took, r.never = time.Duration(o.ret-x.from), false
			}
		}
		rs = append(rs, r)
	}
	return rs
}

// recoveryFigure shows the time from each fault to the next grant.
func recoveryFigure(_ Run, f *facts, _ *witness) (*figure, error) {
	rs := recoveries(f)
	rs = slices.DeleteFunc(rs, func(r recovery) bool { return r.never })
	if len(rs) < 1 {
		return nil, nil
	}
	fig := newFigure("recovery", "Time from each fault to the next grant", fmt.Sprintf("Bars: milliseconds from the beginning of %s to the next grant.", count(len(rs), "fault")), "", "ms to the next grant")
	fig.grid()
	values := make(plotter.Values, len(rs))
	ticks := make([]plot.Tick, len(rs))
	for i, r := range rs {
		values[i] = float64(r.took) / 1e6
		ticks[i] = plot.Tick{Value: float64(i), Label: fmt.Sprintf("%s, %s", r.fault.name(), seconds(r.fault.from))}
		if len(rs) > 3 {
			ticks[i].Label = clean(r.fault.name(), 9)
		}
	}
	bars, err := plotter.NewBarChart(values, vg.Points(min(36, 400/float64(len(rs)))))
	if err != nil {
		return nil, err
	}
	bars.Color, bars.LineStyle.Width = color.Color(colorInfo), 0
	fig.plot.Add(bars)
	fig.plot.Y.Min, fig.plot.X.Min, fig.plot.X.Max = 0, -0.6, float64(len(rs))-0.4
	fig.plot.X.Tick.Marker = plot.ConstantTicks(ticks)
	return fig, nil
}
