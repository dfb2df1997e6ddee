package figure

import (
	"fmt"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/lockbench/lockbench/internal/units"
)

// bars draws one horizontal bar for each lock, and a whisker to a second value.
type bars struct {
	values, to []float64
}

// Bars compares locks by a number. To, where it is not nil, is a second number that a thin
// line leads to.
func Bars(title, unit string, names []string, values, to []float64) *Figure {
	fig := newFigure("cost", title, title+" of each lock, in "+unit+".", unit, "")
	n := len(names)
	var ticks []plot.Tick
	top := 0.0
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: float64(n - 1 - i), Label: name})
		top = max(top, values[i])
		if to != nil {
			top = max(top, to[i])
		}
	}
	g := plotter.NewGrid()
	g.Horizontal.Color = nil
	g.Vertical.Color, g.Vertical.Width = colorGrid, vg.Points(0.6)
	fig.plot.Add(g, bars{values, to})
	fig.plot.Y.Tick.Marker = plot.ConstantTicks(ticks)
	fig.plot.Y.Min, fig.plot.Y.Max = -0.7, float64(n)-0.3
	fig.plot.X.Min, fig.plot.X.Max = 0, max(1e-3, top*1.18)
	fig.width, fig.height = vg.Points(330), vg.Points(46+15*float64(n))
	if to != nil {
		fig.plot.X.Max = max(1e-3, top*1.45)
	}
	for _, a := range []*plot.Axis{&fig.plot.X, &fig.plot.Y} {
		a.Tick.Label.Font.Size = vg.Points(9)
	}
	return fig
}

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := text(colorInk, 8)
	for i, v := range b.values {
		y := ty(float64(len(b.values) - 1 - i))
		c.FillPolygon(colorOK, box(tx(0), tx(v), y-4, y+4))
		end, label := tx(v), number(v)
		if b.to != nil {
			end, label = max(end, tx(b.to[i])),
				units.Span(time.Duration(v*1e6))+" – "+units.Span(time.Duration(b.to[i]*1e6))
			c.StrokeLine2(draw.LineStyle{Color: colorDeep, Width: vg.Points(1)}, tx(v), y, tx(b.to[i]), y)
			c.StrokeLine2(draw.LineStyle{Color: colorDeep, Width: vg.Points(1.4)}, tx(b.to[i]), y-3,
				tx(b.to[i]), y+3)
		}
		c.FillText(style, vg.Point{X: end + 4, Y: y - 3}, label)
	}
}

func number(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
