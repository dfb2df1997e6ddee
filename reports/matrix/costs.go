package matrix

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/figure"
	"github.com/lockbench/lockbench/reports/page"
)

// costRow is what a lock costs, in words.
type costRow struct {
	Name, Commands, P50, P99, Throughput, Crash, Failover string
	Grants, Runs                                          int
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
		"%s without faults: %s that compete for holds of %s. An acquire lasts "+
			"from the call to the grant, so it includes the wait for the client that is inside. "+
			"Recovery is the longest time from the fault to the next grant, in the runs of the matrix.",
		measuredBy(first), units.Count(first.Clients, "client"), units.Span(first.Hold))
	shown, err := figure.Show([]*figure.Figure{
		figure.Bars("Redis commands for each hand-over", "commands", names, commands, nil),
		figure.Bars("Acquire: median, and 99th percentile", "ms", names, p50, p99),
		figure.Bars("Throughput", "grants per second", names, throughput, nil),
	})
	p.CostFigures = shown
	return err
}

// measuredBy says how often each lock was measured.
func measuredBy(c matrix.RowCost) string {
	if len(c.Each) == 0 {
		return "One run of each lock"
	}
	return fmt.Sprintf("The median of %s of each lock, with the least and the most of one run,",
		units.Count(len(c.Each), "run"))
}

// spread writes the median over runs with the least and the most; of one run what it measured.
func spread(c matrix.RowCost, of func(batch.Cost) float64, text func(float64) string) string {
	if len(c.Each) == 0 {
		return text(of(c.Cost))
	}
	var all []float64
	for _, e := range c.Each {
		all = append(all, of(e))
	}
	slices.Sort(all)
	return fmt.Sprintf("%s (%s to %s)", text(units.Quantile(all, 0.5)), text(all[0]),
		text(all[len(all)-1]))
}

func newCostRow(m *matrix.Matrix, c matrix.RowCost) costRow {
	row := costRow{Name: page.Clean(c.Row, 60), Grants: c.Grants, Runs: max(1, len(c.Each)),
		Commands: "–", P50: "–", P99: "–", Throughput: "–"}
	time := func(ns float64) string { return units.Span(int64(ns)) }
	if c.Grants > 0 {
		row.P50 = spread(c, func(x batch.Cost) float64 { return float64(x.AcquireP50) }, time)
		row.P99 = spread(c, func(x batch.Cost) float64 { return float64(x.AcquireP99) }, time)
		row.Throughput = spread(c, func(x batch.Cost) float64 { return x.Throughput },
			func(v float64) string { return fmt.Sprintf("%.0f/s", v) })
	}
	if c.Commands > 0 {
		row.Commands = spread(c, func(x batch.Cost) float64 { return x.Commands },
			func(v float64) string { return fmt.Sprintf("%.1f", v) })
	}
	row.Crash, row.Failover = recovered(m, c.Row, "crash", c.AfterCrash),
		recovered(m, c.Row, "failover", c.AfterFailover)
	return row
}

// recovered is how long a lock took to recover: never, if no client got in again.
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
