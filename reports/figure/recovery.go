package figure

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/view"
)

// maxRecoveries bounds the faults in the plot of recoveries.
const maxRecoveries = 120

// stem is where a fault began, and how long after it a client was granted the lock again. Never:
// none was, and the stem is as high as the time that was left.
type stem struct {
	at, high float64 // seconds, milliseconds
	never    bool
}

// recoveries looks for the first grant after the beginning of each fault.
func recoveries(v *view.View) (all stems) {
	var grants []int64
	for _, c := range v.Calls {
		if c.Outcome == history.OK {
			grants = append(grants, c.To)
		}
	}
	slices.Sort(grants)
	for _, f := range v.Faults[:min(maxRecoveries, len(v.Faults))] {
		again, i := v.End, sort.Search(len(grants), func(i int) bool { return grants[i] > f.From })
		if i < len(grants) {
			again = grants[i]
		}
		all = append(all, stem{units.Seconds(f.From), units.Millis(again - f.From), i == len(grants)})
	}
	return all
}

// recoveryFigure shows at the beginning of each fault how long it took to the next grant. If no
// client was granted the lock again, a cross marks the remaining time.
func recoveryFigure(v *view.View) (*Figure, error) {
	all := recoveries(v)
	if len(all) == 0 {
		return nil, nil
	}
	fig := overTime(v, "recovery", "Time from each fault to the next grant",
		fmt.Sprintf("Stems at the beginning of %s, as high as the time to the next grant.",
			units.Count(len(all), "fault")), "to the next grant")
	fig.plot.Add(all)
	fig.plot.Y.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		return relabel(plot.DefaultTicks{}.Ticks(lo, hi), span)
	})
	top := slices.MaxFunc(all, func(a, b stem) int { return cmp.Compare(a.high, b.high) }).high
	fig.plot.Y.Min, fig.plot.Y.Max = 0, max(0.01, top*1.7)
	return fig.countedOf(len(all), "fault"), nil
}

// stems draws recoveries.
type stems []stem

// Plot implements plot.Plotter.
func (s stems) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style, labels := text(colorInk, 8), make(shelf, 1)
	for _, x := range s {
		col, label := colorDeep, span(x.high)
		var glyph draw.GlyphDrawer = draw.CircleGlyph{}
		if x.never {
			col, glyph, label = colorBad, draw.CrossGlyph{}, "never"
		}
		at := vg.Point{X: tx(x.at), Y: ty(x.high)}
		c.StrokeLine2(draw.LineStyle{Color: col, Width: vg.Points(1.2)}, at.X, ty(0), at.X, at.Y)
		c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: vg.Points(3), Shape: glyph}, at)
		left, width := at.X, style.Width(label)
		if left+5+width > c.Max.X {
			left -= width + 10
		}
		if labels.place(left, left+width+8) >= 0 {
			c.FillText(style, vg.Point{X: left + 5, Y: at.Y - 3}, label)
		}
	}
}
