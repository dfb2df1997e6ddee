package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/internal/base/units"
)

// Bar is one measurement of a lock: the median over N runs, and the least and the greatest value.
type Bar struct {
	Name             string
	Least, Mid, Most float64
	N                int
}

// BarOf returns the bar of several values, at least one.
func BarOf(name string, values []float64) Bar {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return Bar{name, values[0], units.Quantile(values, 0.5), values[n-1], n}
}

// bars draws one horizontal bar for each lock, and a whisker from the least to the most.
type bars struct {
	all  []Bar
	unit string
}

// Bars compares locks by a number.
func Bars(title, unit string, all []Bar) *Figure {
	fig := newFigure("cost", title, title+" of each lock, in "+unit+".", unit, "")
	n := len(all)
	var ticks []plot.Tick
	top, several := 0.0, false
	for i, b := range all {
		ticks = append(ticks, plot.Tick{Value: float64(n - 1 - i), Label: b.Name})
		top, several = max(top, b.Most), several || b.N > 1
	}
	g := plotter.NewGrid()
	g.Horizontal.Color = nil
	g.Vertical.Color, g.Vertical.Width = colorGrid, vg.Points(0.6)
	fig.plot.Add(g, bars{all, unit})
	fig.plot.Y.Tick.Marker = plot.ConstantTicks(ticks)
	fig.plot.Y.Min, fig.plot.Y.Max = -0.7, float64(n)-0.3
	fig.plot.X.Min, fig.plot.X.Max = 0, max(1e-3, top*1.18)
	fig.width, fig.height = vg.Points(330), vg.Points(46+15*float64(n))
	if several {
		fig.Title += ": median over runs, least to most"
		fig.plot.X.Max = max(1e-3, top*1.4)
	}
	return fig
}

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style, line := text(colorInk, 8), draw.LineStyle{Color: colorDeep, Width: vg.Points(1)}
	for i, v := range b.all {
		y, label := ty(float64(len(b.all)-1-i)), number(v.Mid)
		c.FillPolygon(colorOK, box(tx(0), tx(v.Mid), y-4, y+4))
		if b.unit == "ms" {
			label = units.Span(int64(v.Mid * 1e6))
		}
		if v.N > 1 {
			label += fmt.Sprintf(", n = %d", v.N)
			c.StrokeLine2(line, tx(v.Least), y, tx(v.Most), y)
			for _, end := range []float64{v.Least, v.Most} {
				c.StrokeLine2(line, tx(end), y-3, tx(end), y+3)
			}
		}
		c.FillText(style, vg.Point{X: tx(v.Most) + 4, Y: y - 3}, label)
	}
}

func number(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
