package reports

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
)

// maxPoints bounds the points of a scatter plot; beyond it, the slowest of each bin stand for it.
const maxPoints = 900

// milliTicks are the ticks of a logarithmic axis of milliseconds, labelled at powers of ten only.
type milliTicks struct{}

// Ticks implements plot.Ticker.
func (milliTicks) Ticks(lo, hi float64) []plot.Tick {
	var ts []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		v := math.Pow(10, e)
		if v >= lo*0.999 && v <= hi*1.001 {
			ts = append(ts, plot.Tick{Value: v, Label: units.Span(time.Duration(v * 1e6))})
		}
	}
	return ts
}

func (f *figure) logY(lo, hi float64) {
	f.plot.Y.Scale, f.plot.Y.Tick.Marker = plot.LogScale{}, milliTicks{}
	f.plot.Y.Min = math.Pow(10, math.Floor(math.Log10(max(1e-3, lo))))
	f.plot.Y.Max = math.Pow(10, math.Ceil(math.Log10(max(1e-2, hi))))
	if f.plot.Y.Max <= f.plot.Y.Min {
		f.plot.Y.Max = 10 * f.plot.Y.Min
	}
}

// latencyFigure shows how long each acquire took, by outcome, over time.
func latencyFigure(r *View) (*figure, error) {
	if len(r.ops) == 0 {
		return nil, nil
	}
	end := units.Seconds(r.end)
	fig := newFigure("latency", "Latency of acquire over time",
		fmt.Sprintf("Scatter plot of the latency of %s over %.2f seconds, by outcome.",
			units.Count(len(r.ops), "acquire call"), end), "time (s)", "latency of acquire")
	fig.grid()
	fig.addBands(r.faults, 0, end)
	groups := []struct {
		name  string
		in    func(history.Type) bool
		shape draw.GlyphDrawer
		color color.Color
	}{
		{"granted", func(t history.Type) bool { return t == history.OK }, draw.CircleGlyph{}, colorOK},
		{"refused", func(t history.Type) bool { return t == history.Fail }, draw.CrossGlyph{}, colorFail},
		{"unknown", func(t history.Type) bool { return t == history.Info || t == history.Invoke },
			draw.TriangleGlyph{}, colorInfo},
	}
	lo, hi := math.Inf(1), 0.0
	for _, g := range groups {
		pts := thin(r.ops, g.in, maxPoints/3, r.end)
		if len(pts) == 0 {
			continue
		}
		for _, p := range pts {
			lo, hi = min(lo, p.Y), max(hi, p.Y)
		}
		s, err := plotter.NewScatter(pts)
		if err != nil {
			return nil, err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: g.color, Radius: vg.Points(2.4), Shape: g.shape}
		fig.plot.Add(s)
		fig.plot.Legend.Add(g.name, s)
	}
	fig.logY(lo, hi*3)
	fig.plot.X.Min, fig.plot.X.Max = 0, max(end, 1e-3)
	return fig, nil
}

// thin keeps all points if they are few, and else the slowest and the fastest of each bin.
func thin(ops []op, in func(history.Type) bool, limit int, end int64) plotter.XYs {
	var pts plotter.XYs
	for i := range ops {
		if o := &ops[i]; in(o.outcome) {
			pts = append(pts, plotter.XY{X: units.Seconds(o.call), Y: max(1e-3, units.Millis(o.ret-o.call))})
		}
	}
	if len(pts) <= limit {
		return pts
	}
	type extremes struct{ lo, hi plotter.XY }
	bins := map[int]extremes{}
	for _, p := range pts {
		b := int(p.X / max(1e-9, units.Seconds(end)) * float64(limit/2))
		e, ok := bins[b]
		if !ok {
			e = extremes{p, p}
		}
		if p.Y < e.lo.Y {
			e.lo = p
		}
		if p.Y > e.hi.Y {
			e.hi = p
		}
		bins[b] = e
	}
	pts = pts[:0:0]
	for _, e := range bins {
		pts = append(pts, e.lo)
		if e.hi != e.lo {
			pts = append(pts, e.hi)
		}
	}
	slices.SortFunc(pts, func(a, b plotter.XY) int {
		return cmp.Or(cmp.Compare(a.X, b.X),
			cmp.Compare(a.Y, b.Y))
	})
	return pts
}

// quantileFigure shows the median, the 95th and 99th percentile and the maximum of the latency of
// granted acquires per slice of time.
func quantileFigure(r *View) (*figure, error) {
	n := 0
	for i := range r.ops {
		n += b2i(r.ops[i].outcome == history.OK)
	}
	bins := min(60, n/5)
	if bins < 2 {
		return nil, nil
	}
	fig := newFigure("quantiles", "Latency of granted acquires as quantiles",
		fmt.Sprintf(
			"Median, 95th and 99th percentile and maximum of the latency of granted acquires in %d slices of time.", bins), "time (s)", "latency of acquire")
	fig.grid()
	fig.addBands(r.faults, 0, units.Seconds(r.end))
	values := make([][]float64, bins)
	for i := range r.ops {
		if o := &r.ops[i]; o.outcome == history.OK {
			b := min(bins-1, int(float64(o.ret)/float64(max(1, r.end))*float64(bins)))
			values[b] = append(values[b], max(1e-3, units.Millis(o.ret-o.call)))
		}
	}
	for _, v := range values {
		slices.Sort(v)
	}
	lo, hi := math.Inf(1), 0.0
	for _, q := range []struct {
		name  string
		q     float64
		color color.Color
		width float64
		dash  []vg.Length
	}{
		{"median", 0.5, colorDeep, 1.6, nil}, {"p95", 0.95, colorOK, 1.4, nil},
		{"p99", 0.99, colorInfo, 1.2, []vg.Length{4, 2}}, {"max", 1, colorMuted, 0.8, []vg.Length{1, 2}},
	} {
		var pts plotter.XYs
		for b, v := range values {
			if len(v) > 0 {
				pts = append(pts, plotter.XY{X: (float64(b) + 0.5) * units.Seconds(r.end) / float64(bins),
					Y: units.Quantile(v, q.q)})
				lo, hi = min(lo, v[0]), max(hi, v[len(v)-1])
			}
		}
		if err := fig.line(q.name, pts, q.color, q.width, q.dash...); err != nil {
			return nil, err
		}
	}
	fig.logY(lo, hi)
	fig.plot.X.Min, fig.plot.X.Max = 0, units.Seconds(r.end)
	return fig, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// distributionFigure shows how waits and holds are distributed: the share that was at most so long.
func distributionFigure(r *View) (*figure, error) {
	var waits, holds []float64
	for i := range r.holds {
		h := &r.holds[i]
		waits, holds = append(waits, max(1e-3, units.Millis(h.from-h.call))),
			append(holds, max(1e-3, units.Millis(h.to-h.from)))
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

// throughputFigure shows acquire calls per second over time, by outcome.
func throughputFigure(r *View) (*figure, error) {
	if len(r.ops) < 4 {
		return nil, nil
	}
	bins := min(80, max(8, len(r.ops)/6))
	end := max(units.Seconds(r.end), 1e-6)
	fig := newFigure("throughput", "Throughput",
		"Acquire calls that returned per second, over time, by outcome.", "time (s)",
		"acquires per second")
	fig.grid()
	fig.addBands(r.faults, 0, end)
	width, top := end/float64(bins), 0.0
	for _, g := range []struct {
		name  string
		t     history.Type
		color color.Color
		dash  []vg.Length
	}{{"granted", history.OK, colorDeep, nil}, {"refused", history.Fail, colorFail, []vg.Length{4, 2}},
		{"unknown", history.Info, colorInfo, []vg.Length{1, 2}}} {
		counts, any := make([]float64, bins), false
		for i := range r.ops {
			if o := &r.ops[i]; o.outcome == g.t {
				counts[min(bins-1, int(units.Seconds(o.ret)/width))]++
				any = true
			}
		}
		if !any {
			continue
		}
		var pts plotter.XYs
		for b, c := range counts {
			pts = append(pts, plotter.XY{X: float64(b) * width, Y: c / width}, plotter.XY{
				X: float64(b+1) * width, Y: c / width})
			top = max(top, c/width)
		}
		if err := fig.line(g.name, pts, g.color, 1.4, g.dash...); err != nil {
			return nil, err
		}
	}
	fig.plot.X.Min, fig.plot.X.Max, fig.plot.Y.Min, fig.plot.Y.Max = 0, end, 0, max(1, top*1.5)
	return fig, nil
}
