package batch

import (
	"context"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
)

// Runner carries out one plan in an environment of its own, keeps the run in dir, which does not
// exist yet, and judges it. It is called from several goroutines. The error explains a missing
// verdict, or one that is worth less than planned.
type Runner func(ctx context.Context, p harness.Plan, dir string) (*checker.Verdict, error)
