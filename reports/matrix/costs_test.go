package matrix

import (
	"testing"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// TestCostsOfSeveralRuns wants the median with the least and the most, and of one run what it is.
func TestCostsOfSeveralRuns(t *testing.T) {
	cost := func(ms int64) batch.Cost {
		return batch.Cost{Grants: 9, AcquireP50: 1e6, AcquireP99: 1e6, Throughput: float64(ms),
			Commands: float64(ms)}
	}
	one := matrix.RowCost{Row: "a", Cost: cost(7)}
	several := one
	several.Each = []batch.Cost{cost(9), cost(4), cost(5)}
	m := &matrix.Matrix{}
	if r := newCostRow(m, one); r.Commands != "7.0" || r.Throughput != "7/s" || r.Runs != 1 {
		t.Errorf("of one run: %+v", r)
	}
	if r := newCostRow(m, several); r.Commands != "5.0 (4.0 to 9.0)" ||
		r.Throughput != "5/s (4/s to 9/s)" || r.Runs != 3 {
		t.Errorf("of three runs: %+v", r)
	}
	if got := measuredBy(several); got !=
		"The median of 3 runs of each lock, with the least and the most of one run," {
		t.Error(got)
	}
}
