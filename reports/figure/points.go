package figure

import (
	"cmp"
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

// overTime is a figure of a whole run, with its faults behind what is drawn.
func overTime(v *view.View, name, title, alt, y string) *Figure {
	f := newFigure(name, title, alt, "time (s)", y)
	end := units.Seconds(v.End)
	f.grid()
	f.addBands(v.Faults, 0, end)
	f.plot.X.Min, f.plot.X.Max = 0, max(end, 1e-3)
	return f
}

// milliTicks are the ticks of a logarithmic axis of milliseconds, labelled at powers of ten only.
type milliTicks struct{}

// Ticks implements plot.Ticker.
func (milliTicks) Ticks(lo, hi float64) []plot.Tick {
	var ts []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		v := math.Pow(10, e)
		if v >= lo*0.999 && v <= hi*1.001 {
			ts = append(ts, plot.Tick{Value: v, Label: units.Span(int64(v * 1e6))})
		}
	}
	return ts
}

func (f *Figure) logY(lo, hi float64) {
	f.plot.Y.Scale, f.plot.Y.Tick.Marker = plot.LogScale{}, milliTicks{}
	f.plot.Y.Min = math.Pow(10, math.Floor(math.Log10(max(1e-3, lo))))
	f.plot.Y.Max = math.Pow(10, math.Ceil(math.Log10(max(1e-2, hi))))
	if f.plot.Y.Max <= f.plot.Y.Min {
		f.plot.Y.Max = 10 * f.plot.Y.Min
	}
}

// cloud is a group of points of a scatter plot.
type cloud struct {
	name   string
	points plotter.XYs // stamps in seconds, durations in milliseconds
	shape  draw.GlyphDrawer
	color  color.Color
}

// add adds what took from one stamp to another, at the first.
func (c *cloud) add(at, from, to int64) {
	c.points = append(c.points, plotter.XY{X: units.Seconds(at), Y: millis(to - from)})
}

// millis is a duration on a logarithmic axis, which has no zero.
func millis(ns int64) float64 { return max(1e-3, units.Millis(ns)) }

// maxPoints bounds the points of a scatter plot; beyond it, the slowest of each bin stand for it.
const maxPoints = 900

// scatter draws clouds of durations over time.
func (f *Figure) scatter(end int64, clouds ...cloud) error {
	lo, hi := math.Inf(1), 0.0
	for _, c := range clouds {
		if len(c.points) == 0 {
			continue
		}
		points := thin(c.points, maxPoints/len(clouds), end)
		for _, p := range points {
			lo, hi = min(lo, p.Y), max(hi, p.Y)
		}
		s, err := plotter.NewScatter(points)
		if err != nil {
			return fmt.Errorf("plot %s: %w", f.Name, err)
		}
		s.GlyphStyle = draw.GlyphStyle{Color: c.color, Radius: vg.Points(2.4), Shape: c.shape}
		f.plot.Add(s)
		f.plot.Legend.Add(c.name, s)
	}
	f.logY(lo, hi*3)
	return nil
}

// thin keeps all points if they are few, and else the slowest and the fastest of each bin.
func thin(points plotter.XYs, limit int, end int64) plotter.XYs {
	if len(points) <= limit {
		return points
	}
	type extremes struct{ lo, hi plotter.XY }
	bins := map[int]extremes{}
	for _, p := range points {
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
	points = nil
	for _, e := range bins {
		points = append(points, e.lo)
		if e.hi != e.lo {
			points = append(points, e.hi)
		}
	}
	slices.SortFunc(points, func(a, b plotter.XY) int {
		return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
	})
	return points
}
