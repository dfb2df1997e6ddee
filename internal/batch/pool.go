package batch

import (
	"context"
	"sync"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
)

// Runner carries out one plan in an environment of its own, keeps the run in dir, which does not
// exist yet, and judges it. It is called from several goroutines. The error says why there is no
// verdict, or why it is worth less than planned.
type Runner func(ctx context.Context, p harness.Plan, dir string) (*checker.Verdict, error)

// Each does something with each of the things, jobs of them at a time, and begins nothing when ctx
// has ended. It returns when all that was begun is done.
func Each[T any](ctx context.Context, things []T, jobs int, do func(T)) {
	queue := make(chan T)
	var all sync.WaitGroup
	for range jobs {
		all.Go(func() {
			for t := range queue {
				do(t)
			}
		})
	}
	for _, t := range things {
		if ctx.Err() != nil {
			break
		}
		queue <- t
	}
	close(queue)
	all.Wait()
}
