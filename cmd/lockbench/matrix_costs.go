package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/store"
)

// measure adds what each lock costs to the matrix: a run of its own for each, one after the other,
// since what runs beside it would be measured, too. What was measured before an interruption is
// kept.
func (f *matrixFlags) measure(ctx context.Context, environment *processEnvironment,
	m *matrix.Matrix,
	tell func(done, all int, what string)) (failed error) {
	rows := f.options.CostRows()
	for i, r := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := f.cost(ctx, environment, r)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("no cost of %s: %w", r.Name, err))
			continue
		}
		m.Costs = append(m.Costs, c)
		tell(i+1, len(rows), "the cost of "+r.Name)
	}
	return failed
}

// cost measures one lock, unless the run is there already.
func (f *matrixFlags) cost(ctx context.Context, environment *processEnvironment,
	r matrix.Row) (matrix.RowCost, error) {
	p, err := f.options.CostPlan(r)
	if err != nil {
		return matrix.RowCost{}, err
	}
	name := matrix.CostDir(r)
	dir := filepath.Join(environment.root, name)
	run, err := store.Load(dir)
	if err != nil || !run.History.Complete() {
		if _, err := environment.run(ctx, p, name); err != nil {
			return matrix.RowCost{}, err
		}
		if run, err = store.Load(dir); err != nil {
			return matrix.RowCost{}, err
		}
	}
	return matrix.RowCost{
		Row: r.Name, Dir: name, Clients: p.Clients, Hold: p.Hold,
		Cost: batch.Join(batch.Measure(run.History, run.Trace)),
	}, nil
}

// recoveries adds how long each lock took to recover, from the runs of the matrix: those of a shard
// that another machine ran are there when the shards are merged.
func recoveries(root string, m *matrix.Matrix) {
	for i := range m.Costs {
		c := &m.Costs[i]
		c.AfterCrash, c.AfterFailover = recovery(root, m.Recoveries(c.Row, "crash")),
			recovery(root, m.Recoveries(c.Row, "failover"))
	}
}

// recovery is the longest time from a strike to the next grant in some runs; 0 if nothing was
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
