// Package batch has the parts that the matrix, the gate and the comparison share: the kept part of
// a run's verdict, the cost of a run, the pool that carries runs out, and shards and their merging.
package batch

import (
	"context"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
)

// Runner carries out one plan in an environment of its own, saves the run in the new directory dir,
// and judges it. Several goroutines may call it. The error explains a missing verdict, or a verdict
// that is worth less than planned.
type Runner func(ctx context.Context, p harness.Plan, dir string) (*checker.Verdict, error)
