package matrix

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
)

// RowCost is the cost of a lock in the matrix. Clients compete for short holds in a run without
// faults. Recovery is measured after a crash and a failover.
type RowCost struct {
	Row string `json:"row"`
	// directory of the first run, relative to the matrix
	Dir     string           `json:"dir,omitempty"`
	Clients int              `json:"clients"`
	Hold    history.Duration `json:"hold"`
	// from the holder's death to the next grant
	AfterCrash history.Duration `json:"after_crash,omitempty"`
	// from the master's death to the next grant
	AfterFailover history.Duration `json:"after_failover,omitempty"`
	batch.Cost                     // of all runs together
	// of each run if there are several
	Each []batch.Cost `json:"each,omitempty"`
}

// The runs that measure costs. Their holds are so short that the lock itself takes most of the
// time, and they make enough grants for a 99th percentile.
const (
	CostFor    = time.Second
	CostHold   = 5 * time.Millisecond
	CostGrants = 500 // the run ends after this many grants
)

// CostRows returns the locks whose cost this matrix measures. It omits locks that can be used only
// once.
func (o Options) CostRows() (out []Row) {
	rs, _ := o.rows() // of options that are wrong, none
	for i, r := range rs {
		if !r.Has(impls.Posted) && o.Shard.Has(i) {
			out = append(out, r)
		}
	}
	return out
}

// CostPlan returns the plan of the i-th run that measures the cost of a lock, from 0. Each run has
// its own seed, so that they also differ in the simulator.
func (o Options) CostPlan(r Row, i int) (harness.Plan, error) {
	w := r.Options("none")
	w.Environment, w.Seed, w.TTL = o.Environment, o.Seed+uint64(i), cmp.Or(o.TTL, DefaultTTL)
	w.Hold, w.For, w.Properties, w.Thorough = CostHold, CostFor, []string{"S"}, true
	p, err := harness.NewPlan(w)
	p.Place = o.Place
	p.Cycles = CostGrants / p.Clients // the run goes on until then or until its time is over
	return p, err
}

// mostCosts is the largest number of runs that measure the cost of a lock. A median and a spread
// need no more.
const mostCosts = 5

// CostRuns returns how many runs measure each lock. It is the number of runs of each scenario, up
// to mostCosts.
func (o Options) CostRuns() int { return max(1, min(o.Repeat, mostCosts)) }

// CostDir returns the directory of the i-th run, from 0, relative to the directory of the matrix.
func CostDir(r Row, i int) string {
	name := "cost"
	if i > 0 {
		name += "-" + strconv.Itoa(i+1)
	}
	return path.Join("runs", strings.ReplaceAll(r.Name, " ", "-"), name)
}

// Recoveries returns the directories of the runs that show how long a lock takes to recover from
// the fault of a column. They are relative to the directory of the matrix.
func (m *Matrix) Recoveries(row, column string) (dirs []string) {
	c := m.Cell(row, column)
	if c == nil {
		return nil
	}
	for _, r := range c.Runs {
		if !r.Control && r.Dir != "" && r.HarnessError == "" {
			dirs = append(dirs, r.Dir)
		}
	}
	return dirs
}

// CostOf returns the measured cost of a lock, or nil.
func (m *Matrix) CostOf(row string) *RowCost {
	i := slices.IndexFunc(m.Costs, func(c RowCost) bool { return c.Row == row })
	if i < 0 {
		return nil
	}
	return &m.Costs[i]
}

// MeasureRecoveries adds how long each lock took to recover. It reads the runs of the matrix in the
// directory root. The runs of other shards are there when the shards are merged.
func (m *Matrix) MeasureRecoveries(root string) {
	for i := range m.Costs {
		c := &m.Costs[i]
		c.AfterCrash = recovery(root, m.Recoveries(c.Row, "crash"))
		c.AfterFailover = recovery(root, m.Recoveries(c.Row, "failover"))
	}
}

// recovery returns the longest time from a fault to the next grant in the runs, or 0 if there was
// no grant after a fault.
func recovery(root string, dirs []string) history.Duration {
	var samples []batch.Sample
	for _, d := range dirs {
		if r, err := store.Load(filepath.Join(root, d)); err == nil {
			samples = append(samples, batch.Measure(r.History, nil))
		}
	}
	return batch.Join(samples...).Recovery
}
