// Package pool does many things with a few goroutines.
package pool

import (
	"context"
	"iter"
	"sync"
)

// Each does something with each of the items, jobs of them at a time, and begins nothing when ctx
// has ended. It returns when all that was begun is done. An item is asked for when a goroutine is
// free for it, and never two at the same time, so that items may depend on what was done until
// then, and may wait for it.
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
