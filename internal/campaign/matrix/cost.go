package matrix

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
)

// RowCost is what a lock of the matrix costs: in a run without any fault in which clients compete
// for short holds, and after the two faults that everybody has one day.
type RowCost struct {
	Row     string           `json:"row"`
	Dir     string           `json:"dir,omitempty"` // of the first run, relative to the matrix
	Clients int              `json:"clients"`
	Hold    history.Duration `json:"hold"`
	// from the holder's death to the next grant
	AfterCrash history.Duration `json:"after_crash,omitempty"`
	// from the master's death to the next grant
	AfterFailover history.Duration `json:"after_failover,omitempty"`
	batch.Cost                     // of all runs together
	// of each run, if there were several
	Each []batch.Cost `json:"each,omitempty"`
}

// The runs that costs are measured by: holds so short that the lock itself is what takes time, and
// enough grants for a 99th percentile.
const (
	CostFor    = time.Second
	CostHold   = 5 * time.Millisecond
	CostGrants = 500 // and no more, where a lock is that fast
)

// CostRows are the locks whose cost this matrix measures: those that can be used more than once.
func (o Options) CostRows() []Row {
	rs, err := o.rows()
	if err != nil {
		return nil
	}
	var out []Row
	for i, r := range rs {
		if !r.Has(impls.Posted) && o.Shard.Has(i) {
			out = append(out, r)
		}
	}
	return out
}

// CostPlan is the i-th run that measures what a lock costs, from 0. Each has a seed of its own, so
// that they differ in the simulator, too.
func (o Options) CostPlan(r Row, i int) (harness.Plan, error) {
	ttl := o.TTL
	if ttl == 0 {
		ttl = DefaultTTL
	}
	w := harness.RunOptions{
		Environment: o.Environment, Impl: r.Impl, Variant: r.Variant, NoWatchdog: r.NoWatchdog,
		Masters:  r.Masters,
		Workload: r.Workload,
		Nemesis:  "none", Seed: o.Seed + uint64(i), TTL: ttl, Hold: CostHold, For: CostFor,
		Properties: []string{"S"}, Thorough: true,
	}
	if r.Adapter != "" {
		w.Impl, w.Adapter = "", r.Adapter
	}
	p, err := harness.NewPlan(w)
	p.Place = o.Place
	p.Requires.Contended = CostGrants // the run goes on until then, or until its time is over
	return p, err
}

// mostCosts is the most runs that measure what a lock costs: a median and a spread need no more.
const mostCosts = 5

// CostRuns is how many runs measure each lock: as many as there are of each scenario.
func (o Options) CostRuns() int { return max(1, min(o.Repeat, mostCosts)) }

// CostDir is where the i-th of them goes, from 0, relative to the directory of the matrix.
func CostDir(r Row, i int) string {
	name := "cost"
	if i > 0 {
		name += "-" + strconv.Itoa(i+1)
	}
	return path.Join("runs", strings.ReplaceAll(r.Name, " ", "-"), name)
}

// Recoveries are the runs, relative to the directory of the matrix, that show how long a lock takes
// to recover from a fault of a column.
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

// CostOf returns what was measured of a lock, or nil.
func (m *Matrix) CostOf(row string) *RowCost {
	for i := range m.Costs {
		if m.Costs[i].Row == row {
			return &m.Costs[i]
		}
	}
	return nil
}

// joinCosts takes the costs that the shards of a matrix have measured, each of its own locks.
func (m *Matrix) joinCosts(parts []Part) {
	for _, r := range m.Rows {
		for _, p := range parts {
			if c := p.Matrix.CostOf(r.Name); c != nil && m.CostOf(r.Name) == nil {
				m.Costs = append(m.Costs, *c)
			}
		}
	}
}

// MeasureRecoveries adds how long each lock took to recover, from the runs of the matrix in the
// directory root: the runs of a shard that another machine ran are there when the shards are
// merged.
func (m *Matrix) MeasureRecoveries(root string) {
	for i := range m.Costs {
		c := &m.Costs[i]
		c.AfterCrash = recovery(root, m.Recoveries(c.Row, "crash"))
		c.AfterFailover = recovery(root, m.Recoveries(c.Row, "failover"))
	}
}

// recovery is the longest time from a fault to the next grant in some runs; 0 if nothing was
// granted after any.
func recovery(root string, dirs []string) history.Duration {
	var samples []batch.Sample
	for _, d := range dirs {
		if r, err := store.Load(filepath.Join(root, d)); err == nil {
			samples = append(samples, batch.Measure(r.History, nil))
		}
	}
	return batch.Join(samples...).Recovery
}
