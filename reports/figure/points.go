package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/view"
)

// timeLabel labels the axis of every plot over the time of a run.
const timeLabel = "time (s)"

// overTime returns a figure of a whole run with the faults in its background. All these figures
// share one time axis. A figure of rows has no scale (y is empty) and gets no grid.
func overTime(v *view.View, name, title, alt, y string) *Figure {
	f := newFigure(name, title, alt, timeLabel, y)
	end := units.Seconds(v.End)
	if y != "" {
		f.grid()
	}
	f.plot.Add(bands(v.Faults))
	f.plot.X.Min, f.plot.X.Max = 0, max(end, 1e-3)
	f.plot.X.Tick.Marker = plot.TickerFunc(fineTicks)
	return f
}

// bin returns the index of the slice that contains the stamp t, if a run is cut into n slices.
func bin(t, end int64, n int) int {
	return min(n-1, int(float64(t)/float64(max(1, end))*float64(n)))
}

// span writes milliseconds for people.
func span(ms float64) string { return units.Span(int64(ms * 1e6)) }

// relabel writes the labels of the ticks that have one.
func relabel(ts []plot.Tick, label func(float64) string) []plot.Tick {
	for i := range ts {
		if ts[i].Label != "" {
			ts[i].Label = label(ts[i].Value)
		}
	}
	return ts
}

// milliTicks are the ticks of a logarithmic axis of milliseconds, labelled at powers of ten only.
type milliTicks struct{}

// Ticks implements plot.Ticker.
func (milliTicks) Ticks(lo, hi float64) []plot.Tick {
	var ts []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		v := math.Pow(10, e)
		if v >= lo*0.999 && v <= hi*1.001 {
			ts = append(ts, plot.Tick{Value: v, Label: span(v)})
		}
	}
	return ts
}

// logarithmic makes an axis of durations reach from one power of ten to another.
func logarithmic(a *plot.Axis, lo, hi float64) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, milliTicks{}
	a.Min = math.Pow(10, math.Floor(math.Log10(lo)))
	a.Max = max(10*a.Min, math.Pow(10, math.Ceil(math.Log10(hi))))
}

// cloud is a group of points of a scatter plot.
type cloud struct {
	name   string
	points plotter.XYs // stamps in seconds, durations in milliseconds
	shape  draw.GlyphDrawer
	color  color.Color
}

// add adds the duration between two stamps, at the first.
func (c *cloud) add(at, from, to int64) {
	c.points = append(c.points, plotter.XY{X: units.Seconds(at), Y: millis(to - from)})
}

// millis converts a duration for a logarithmic axis, where zero does not exist.
func millis(ns int64) float64 { return max(1e-3, units.Millis(ns)) }

// maxPoints bounds the points of a scatter plot. Beyond it, only the slowest of each bin are drawn.
const maxPoints = 900

func (f *Figure) scatter(end int64, clouds ...cloud) error {
	for _, c := range clouds {
		if len(c.points) == 0 {
			continue
		}
		s, err := plotter.NewScatter(thin(c.points, maxPoints/len(clouds), end))
		if err != nil {
			return fmt.Errorf("plot %s: %w", f.Name, err)
		}
		s.GlyphStyle = draw.GlyphStyle{Color: c.color, Radius: vg.Points(2.4), Shape: c.shape}
		f.plot.Add(s)
		f.name(c.name, s)
	}
	logarithmic(&f.plot.Y, max(1e-3, f.plot.Y.Min), max(1e-2, 3*f.plot.Y.Max))
	return nil
}

// thin keeps all points if they are few, and else the slowest and the fastest of each bin.
func thin(points plotter.XYs, limit int, end int64) plotter.XYs {
	if len(points) <= limit {
		return points
	}
	bins := map[int][]plotter.XY{} // the fastest and the slowest
	for _, p := range points {
		b := int(p.X / max(1e-9, units.Seconds(end)) * float64(limit/2))
		switch e := bins[b]; {
		case e == nil:
			bins[b] = []plotter.XY{p, p}
		case p.Y < e[0].Y:
			e[0] = p
		case p.Y > e[1].Y:
			e[1] = p
		}
	}
	points = slices.Concat(slices.Collect(maps.Values(bins))...)
	slices.SortFunc(points, func(a, b plotter.XY) int {
		return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
	})
	return slices.Compact(points)
}
