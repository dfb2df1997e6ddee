package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/view"
)

// recovery is how long after the beginning of a fault a client was granted the lock again; never:
// none was.
type recovery struct {
	fault view.Fault
	took  time.Duration
	never bool
}

// maxRecoveries bounds the faults in the plot of recoveries.
const maxRecoveries = 120

// recoveries looks for the first grant after the beginning of each fault.
func recoveries(v *view.View) (rs []recovery) {
	var grants []int64
	for i := range v.Calls {
		if v.Calls[i].Outcome == history.OK {
			grants = append(grants, v.Calls[i].To)
		}
	}
	slices.Sort(grants)
	for _, x := range v.Faults[:min(maxRecoveries, len(v.Faults))] {
		found := recovery{fault: x, never: true}
		if i, _ := slices.BinarySearch(grants, x.From+1); i < len(grants) {
			found.took, found.never = time.Duration(grants[i]-x.From), false
		}
		rs = append(rs, found)
	}
	return rs
}

// recoveryFigure shows, where each fault began, how long it took to the next grant. A fault after
// which no client was granted the lock again has a cross at the time that was left.
func recoveryFigure(v *view.View) (*Figure, error) {
	rs := recoveries(v)
	if len(rs) == 0 {
		return nil, nil
	}
	fig := overTime(v, "recovery", "Time from each fault to the next grant",
		fmt.Sprintf("Stems at the beginning of %s, as high as the time to the next grant.",
			units.Count(len(rs), "fault")), "to the next grant")
	fig.plot.X.Label.Text = "time of the fault (s)"
	s := stems{end: units.Seconds(v.End)}
	top := 0.0
	for _, x := range rs {
		high := units.Millis(int64(x.took))
		if x.never {
			high = units.Millis(v.End - x.fault.From)
		}
		s.all = append(s.all, stem{units.Seconds(x.fault.From), high, x.never})
		top = max(top, high)
	}
	fig.plot.Add(s)
	fig.plot.Y.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		ts := plot.DefaultTicks{}.Ticks(lo, hi)
		for i := range ts {
			if ts[i].Label != "" {
				ts[i].Label = units.Span(int64(ts[i].Value * 1e6))
			}
		}
		return ts
	})
	fig.plot.Y.Min, fig.plot.Y.Max = 0, max(0.01, top*1.7)
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
		label := units.Span(int64(x.high * 1e6))
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
