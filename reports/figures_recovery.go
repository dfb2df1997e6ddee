package reports

import (
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

// recovery is how long after the beginning of a fault somebody was granted the lock again; never:
// nobody was.
type recovery struct {
	fault fault
	took  time.Duration
	never bool
}

// maxRecoveries bounds the faults in the plot of recoveries.
const maxRecoveries = 120

// recoveries looks for the first grant after the beginning of each fault.
func recoveries(r *View) (rs []recovery) {
	var grants []int64
	for i := range r.ops {
		if r.ops[i].outcome == history.OK {
			grants = append(grants, r.ops[i].ret)
		}
	}
	slices.Sort(grants)
	for _, x := range r.faults[:min(maxRecoveries, len(r.faults))] {
		found := recovery{fault: x, never: true}
		if i, _ := slices.BinarySearch(grants, x.from+1); i < len(grants) {
			found.took, found.never = time.Duration(grants[i]-x.from), false
		}
		rs = append(rs, found)
	}
	return rs
}

// recoveryFigure shows, where each fault began, how long it took to the next grant. A fault after
// which nobody was granted the lock again has a cross at the time that was left.
func recoveryFigure(r *View) (*figure, error) {
	rs := recoveries(r)
	if len(rs) == 0 {
		return nil, nil
	}
	fig := newFigure("recovery", "Time from each fault to the next grant",
		fmt.Sprintf("Stems at the beginning of %s, as high as the time to the next grant.",
			units.Count(len(rs), "fault")), "time of the fault (s)", "to the next grant")
	fig.grid()
	fig.addBands(r.faults, 0, units.Seconds(r.end))
	s := stems{end: units.Seconds(r.end)}
	top := 0.0
	for _, x := range rs {
		v := units.Millis(int64(x.took))
		if x.never {
			v = units.Millis(r.end - x.fault.from)
		}
		s.all = append(s.all, stem{units.Seconds(x.fault.from), v, x.never})
		top = max(top, v)
	}
	fig.plot.Add(s)
	fig.plot.Y.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		ts := plot.DefaultTicks{}.Ticks(lo, hi)
		for i := range ts {
			if ts[i].Label != "" {
				ts[i].Label = units.Span(time.Duration(ts[i].Value * 1e6))
			}
		}
		return ts
	})
	fig.plot.X.Min, fig.plot.X.Max, fig.plot.Y.Min, fig.plot.Y.Max = 0,
		max(1e-3, units.Seconds(r.end)), 0,
		max(0.01, top*1.7)
	return fig, nil
}

// stem is a recovery as it is drawn; never: there was none.
type stem struct {
	at, high float64
	never    bool
}

// stems draws recoveries.
type stems struct {
	all []stem
	end float64
}

// Plot implements plot.Plotter.
func (s stems) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := draw.TextStyle{Color: colorInk, Font: p.Legend.TextStyle.Font,
		Handler: plot.DefaultTextHandler}
	style.Font.Size = vg.Points(8)
	taken := math.Inf(-1)
	for _, x := range s.all {
		var col color.Color = colorDeep
		var glyph draw.GlyphDrawer = draw.CircleGlyph{}
		label := units.Span(time.Duration(x.high * 1e6))
		if x.never {
			col, glyph, label = colorBad, draw.CrossGlyph{}, "never"
		}
		at := vg.Point{X: tx(x.at), Y: ty(x.high)}
		c.StrokeLine2(draw.LineStyle{Color: col, Width: vg.Points(1.2)}, at.X, ty(0), at.X, at.Y)
		c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: vg.Points(3), Shape: glyph}, at)
		left, width := float64(at.X), float64(style.Width(label))
		if left+5+width > float64(c.Max.X) {
			left -= width + 10
		}
		if left > taken {
			c.FillText(style, vg.Point{X: vg.Length(left) + 5, Y: at.Y - 3}, label)
			taken = left + width + 8
		}
	}
}

var _ plot.Plotter = stems{}

// waitFigure shows how long each client waited and was inside, over time.
func waitFigure(r *View) (*figure, error) {
	if len(r.holds) == 0 {
		return nil, nil
	}
	fig := newFigure("waits", "Waits and holds over time",
		fmt.Sprintf("Scatter plot of the waits and holds of %s over time.",
			units.Count(len(r.holds), "acquisition")), "time (s)", "duration")
	fig.grid()
	fig.addBands(r.faults, 0, units.Seconds(r.end))
	lo, hi := math.Inf(1), 0.0
	for _, g := range []struct {
		name  string
		long  func(*hold) op
		shape draw.GlyphDrawer
		color color.Color
	}{
		{"waited", func(h *hold) op { return op{call: h.from, ret: 2*h.from - h.call} },
			draw.TriangleGlyph{}, colorInfo},
		{"held", func(h *hold) op { return op{call: h.from, ret: h.to} }, draw.CircleGlyph{}, colorDeep},
	} {
		ops := make([]op, len(r.holds))
		for i := range r.holds {
			ops[i] = g.long(&r.holds[i])
			ops[i].outcome = history.OK
		}
		pts := thin(ops, func(history.Type) bool { return true }, maxPoints/2, r.end)
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
	fig.plot.X.Min, fig.plot.X.Max = 0, max(units.Seconds(r.end), 1e-3)
	return fig, nil
}
