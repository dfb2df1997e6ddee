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
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

// costRow is what a lock costs, in words.
type costRow struct {
	Name, Commands, P50, P99, Throughput, Crash, Failover string
	Grants                                                int
}

func (p *matrixPage) costs(m *matrix.Matrix) error {
	if len(m.Costs) == 0 {
		return nil
	}
	var names []string
	var commands, throughput, p50, p99 []float64
	for _, c := range m.Costs {
		p.Costs = append(p.Costs, newCostRow(m, c))
		names = append(names, page.Clean(c.Row, 40))
		commands, throughput = append(commands, c.Commands), append(throughput, c.Throughput)
		p50, p99 = append(p50, units.Millis(int64(c.AcquireP50))),
			append(p99, units.Millis(int64(c.AcquireP99)))
	}
	first := m.Costs[0]
	p.CostsMeta = fmt.Sprintf(
		"One run of each lock without faults: %s that compete for holds of %s. An acquire lasts from the call to the grant, so it includes the wait for whoever is inside. Recovery is the longest time from the fault to the next grant, in the runs of the matrix.",
		units.Count(first.Clients, "client"), units.Span(first.Hold))
	for _, fig := range []*figure{
		barFigure("Redis commands for each hand-over", "commands", names, commands, nil),
		barFigure("Acquire: median, and 99th percentile", "ms", names, p50, p99),
		barFigure("Throughput", "grants per second", names, throughput, nil),
	} {
		svg, err := fig.inline()
		if err != nil {
			return err
		}
		p.CostFigures = append(p.CostFigures, shownFigure{fig.Title, svg})
	}
	return nil
}

func newCostRow(m *matrix.Matrix, c matrix.RowCost) costRow {
	row := costRow{Name: page.Clean(c.Row, 60), Grants: c.Grants, Commands: "–", P50: "–", P99: "–",
		Throughput: "–"}
	if c.Grants > 0 {
		row.P50, row.P99, row.Throughput = units.Span(c.AcquireP50), units.Span(c.AcquireP99),
			fmt.Sprintf("%.0f/s", c.Throughput)
	}
	if c.Commands > 0 {
		row.Commands = fmt.Sprintf("%.1f", c.Commands)
	}
	row.Crash, row.Failover = recovered(m, c.Row, "crash", c.AfterCrash),
		recovered(m, c.Row, "failover", c.AfterFailover)
	return row
}

// recovered is how long a lock took to recover: never, if nobody got in again.
func recovered(m *matrix.Matrix, row, column string, took history.Duration) string {
	c := m.Cell(row, column)
	switch {
	case c == nil || c.Impossible != "" || c.Elsewhere || len(c.Runs) == 0:
		return "–"
	case slices.Contains(c.Found(), "D"):
		return "never"
	case took == 0:
		return "–"
	}
	return units.Span(took)
}

// bars draws one horizontal bar for each lock, and a whisker to a second value.
type bars struct {
	values, to []float64
}

// barFigure compares locks by a number. To, where it is not nil, is a second number that a thin
// line leads to.
func barFigure(title, unit string, names []string, values, to []float64) *figure {
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
	style := draw.TextStyle{Color: colorInk, Font: p.Legend.TextStyle.Font,
		Handler: plot.DefaultTextHandler}
	style.Font.Size = vg.Points(8)
	for i, v := range b.values {
		y := ty(float64(len(b.values) - 1 - i))
		c.FillPolygon(color.Color(colorOK), []vg.Point{{X: tx(0), Y: y - 4}, {X: tx(v), Y: y - 4},
			{X: tx(v), Y: y + 4}, {X: tx(0), Y: y + 4}})
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
