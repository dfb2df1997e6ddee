package matrix

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/reports/figure"
	"github.com/lockbench/lockbench/reports/page"
)

// costRow has the costs of a lock, in words.
type costRow struct {
	Name, Commands, P50, P99, Throughput, Crash, Failover string
	Grants, Runs                                          int
}

func (p *matrixPage) costs(m *matrix.Matrix) error {
	if len(m.Costs) == 0 {
		return nil
	}
	for _, c := range m.Costs {
		p.Costs = append(p.Costs, newCostRow(m, c))
	}
	first := m.Costs[0]
	p.CostsMeta = fmt.Sprintf(
		"%s without faults: %s that compete for holds of %s. An acquire lasts "+
			"from the call to the grant, so it includes the wait for the client that is inside. "+
			"Recovery is the longest time from the fault to the next grant, in the runs of the matrix.",
		measuredBy(first), units.Count(first.Clients, "client"), units.Span(first.Hold))
	var figs []*figure.Figure
	for _, x := range measures {
		var bars []figure.Bar
		for _, c := range m.Costs {
			bars = append(bars, figure.BarOf(page.Clean(c.Row, 40), x.values(c)))
		}
		figs = append(figs, figure.Bars(x.title, x.unit, bars))
	}
	shown, err := figure.Show(figs)
	p.CostFigures = shown
	return err
}

// measure is one thing that a lock costs.
type measure struct {
	title, unit string
	of          func(batch.Cost) float64
	text        func(float64) string
}

// measures are in the order of the table's columns.
var measures = [4]measure{
	{"Redis commands for each hand-over", "commands", func(c batch.Cost) float64 { return c.Commands },
		func(v float64) string { return fmt.Sprintf("%.1f", v) }},
	{"Median time of an acquire", "ms", func(c batch.Cost) float64 {
		return units.Millis(int64(c.AcquireP50))
	}, inMillis},
	{"99th percentile of an acquire", "ms", func(c batch.Cost) float64 {
		return units.Millis(int64(c.AcquireP99))
	}, inMillis},
	{"Throughput", "grants per second", func(c batch.Cost) float64 { return c.Throughput },
		func(v float64) string { return fmt.Sprintf("%.0f/s", v) }},
}

func inMillis(ms float64) string { return units.Span(int64(ms * 1e6)) }

func (x measure) values(c matrix.RowCost) (all []float64) {
	if len(c.Each) == 0 {
		return []float64{x.of(c.Cost)}
	}
	for _, e := range c.Each {
		all = append(all, x.of(e))
	}
	return all
}

func measuredBy(c matrix.RowCost) string {
	if len(c.Each) == 0 {
		return "One run of each lock"
	}
	return fmt.Sprintf("The median of %s of each lock, with the least and the most of one run,",
		units.Count(len(c.Each), "run"))
}

// spread writes the median over runs with the least and the greatest value, or the value of a
// single run.
func (x measure) spread(c matrix.RowCost) string {
	b := figure.BarOf("", x.values(c))
	if b.N == 1 {
		return x.text(b.Mid)
	}
	return fmt.Sprintf("%s (%s to %s)", x.text(b.Mid), x.text(b.Least), x.text(b.Most))
}

func newCostRow(m *matrix.Matrix, c matrix.RowCost) costRow {
	row := costRow{Name: page.Clean(c.Row, 60), Grants: c.Grants, Runs: max(1, len(c.Each)),
		Commands: "–", P50: "–", P99: "–", Throughput: "–"}
	if c.Grants > 0 {
		row.P50, row.P99, row.Throughput = measures[1].spread(c), measures[2].spread(c),
			measures[3].spread(c)
	}
	if c.Commands > 0 {
		row.Commands = measures[0].spread(c)
	}
	row.Crash, row.Failover = recovered(m, c.Row, "crash", c.AfterCrash),
		recovered(m, c.Row, "failover", c.AfterFailover)
	return row
}

// recovered says how long a lock took to recover, or that no client got in again.
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
