// Package pool runs many jobs in a few goroutines.
package pool

import (
	"context"
	"iter"
	"sync"
)

// Each calls do for each item, for at most jobs items at a time. It starts no item after ctx has
// ended, and returns when all started items are done. It asks the iterator for an item when a
// goroutine is free, and never concurrently. Therefore items may depend on the results so far, and
// the iterator may wait for them.
func Each[T any](ctx context.Context, jobs int, items iter.Seq[T], do func(T)) {
	next, stop := iter.Pull(items)
	defer stop()
	var mu sync.Mutex
	take := func() (item T, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return item, false
		}
		return next()
	}
	var all sync.WaitGroup
	for range max(jobs, 1) {
		all.Go(func() {
			for item, ok := take(); ok; item, ok = take() {
				do(item)
			}
		})
	}
	all.Wait()
}
