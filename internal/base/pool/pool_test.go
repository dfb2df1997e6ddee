package pool

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestEachHasSoManyAtATime wants ten items to be done, three at a time.
func TestEachHasSoManyAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most, done atomic.Int64
		items := slices.Values(make([]int, 10))
		Each(t.Context(), 3, items, func(int) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			done.Add(1)
		})
		if most.Load() != 3 || done.Load() != 10 {
			t.Errorf("%d done, %d at a time", done.Load(), most.Load())
		}
	})
}

// TestEachAsksLate wants an item to be asked for after what was done before it.
func TestEachAsksLate(t *testing.T) {
	n := 0
	items := func(yield func(int) bool) {
		for n < 3 && yield(n) {
		}
	}
	var seen []int
	Each(t.Context(), 1, items, func(i int) {
		seen = append(seen, i)
		n++
	})
	if !slices.Equal(seen, []int{0, 1, 2}) {
		t.Errorf("items are %v", seen)
	}
}

// TestEachBeginsNothingMore wants an end of the context to be the end, but of what was begun.
func TestEachBeginsNothingMore(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var done atomic.Int64
	Each(ctx, 1, slices.Values([]int{1, 2, 3}), func(int) {
		stop()
		done.Add(1)
	})
	if done.Load() != 1 {
		t.Errorf("%d were done", done.Load())
	}
}
