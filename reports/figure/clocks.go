package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// skew is the distance of a clock from its first offset, in seconds, over time. It is measured if a
// node's command stream was recorded, because the stream carries the node's own stamps. Otherwise
// it is the plan of the nemesis.
type skew struct {
	name     string
	measured bool
	points   plotter.XYs
}

// skews returns the skew of each node whose clock was recorded and of each clock that the nemesis
// moved.
func skews(v *view.View) (ss []skew) {
	known := map[string]bool{}
	for _, n := range v.Redis() {
		if len(n.Offsets) == 0 {
			continue
		}
		known[n.Name] = true
		s := skew{name: n.Name, measured: true}
		for _, o := range n.Offsets {
			s.step(units.Seconds(o.T), o.By)
		}
		s.end(units.Seconds(v.End), 0)
		ss = append(ss, s)
	}
	return append(ss, ordered(v, known)...)
}

// ordered returns the planned moves of the clocks without a measurement.
func ordered(v *view.View, known map[string]bool) (ss []skew) {
	rates := map[string]float64{}
	for _, x := range v.Faults {
		if !x.MovesClock() || known[x.Target] || x.Offset == 0 && x.Rate == 0 {
			continue
		}
		i := slices.IndexFunc(ss, func(s skew) bool { return s.name == x.Target })
		if i < 0 {
			i = len(ss)
			ss = append(ss, skew{name: x.Target})
			ss[i].step(0, 0)
		}
		ss[i].step(units.Seconds(x.From), x.Offset.Seconds())
		rates[x.Target] = x.Rate
	}
	for i := range ss {
		ss[i].end(units.Seconds(v.End), rates[ss[i].name])
	}
	return ss
}

// step goes on as before until t, and is by from then on.
func (s *skew) step(t, by float64) {
	if n := len(s.points); n > 0 {
		s.points = append(s.points, plotter.XY{X: t, Y: s.points[n-1].Y})
	}
	s.points = append(s.points, plotter.XY{X: t, Y: by})
}

// end goes on to the end of the run, at a rate.
func (s *skew) end(t, rate float64) {
	if n := len(s.points); n > 0 {
		last := s.points[n-1]
		s.points = append(s.points, plotter.XY{X: t, Y: last.Y + rate*(t-last.X)})
	}
}

// maxSkews bounds the lines of the plot of clocks; the clocks that moved most are drawn.
const maxSkews = 8

// clockFigure shows how far each clock was from its first offset, if one moved or should have.
func clockFigure(v *view.View) (*Figure, error) {
	ss := skews(v)
	if len(ss) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(ss, func(a, b skew) int { return cmp.Compare(b.most(), a.most()) })
	title := "Clock offsets"
	if ss[0].most() < 0.001 {
		if !slices.ContainsFunc(v.Faults, func(f view.Fault) bool { return f.MovesClock() }) {
			return nil, nil
		}
		title += ": no clock moved"
	}
	fig := overTime(v, "clocks", title,
		fmt.Sprintf("Offset of %s from where it was at first, over time.", units.Count(len(ss), "clock")),
		"offset (s)")
	for i, s := range ss[:min(maxSkews, len(ss))] {
		name := page.Clean(s.name, 16)
		if !s.measured {
			name += ", as ordered"
		}
		if err := fig.line(strokeOf(i, name), s.points); err != nil {
			return nil, err
		}
	}
	lo, hi := min(0, fig.plot.Y.Min), max(0, fig.plot.Y.Max)
	room := max(0.05, (hi-lo)*0.6)
	fig.plot.Y.Min, fig.plot.Y.Max = lo-room/6, hi+room
	return fig.countedOf(len(ss), "clock"), nil
}

// most returns the largest offset.
func (s skew) most() (m float64) {
	for _, p := range s.points {
		m = max(m, math.Abs(p.Y))
	}
	return m
}
