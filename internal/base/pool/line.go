// Package pool runs many jobs in a few goroutines.
package pool

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"
)

// Turn is an item that waits in line, with its weight.
type Turn[T any] struct {
	Item   T
	Weight int
	Next   bool // it comes before all waiting items
	Last   bool // it comes after all items that are not Last
}

// Line starts items in their order, as many at a time as the room allows by their weights. Items
// under way may add more. Several goroutines may call its methods.
type Line[T any] struct {
	room  int
	most  int         // the room if spare agrees
	spare func() bool // nil means never

	mu          sync.Mutex
	freed       sync.Cond
	taken       int // total weight of the items under way
	first, last []Turn[T]
	closed      bool
}

// NewLine returns an empty line.
func NewLine[T any](room int) *Line[T] {
	l := &Line[T]{room: room}
	l.freed.L = &l.mu
	return l
}

// Stretch lets the room grow to most. Next calls spare before each item that needs the additional
// room, and starts the item only if spare returns true. Next repeats the call each Window. Stretch
// must be called before Next, and spare must not use the line.
func (l *Line[T]) Stretch(most int, spare func() bool) { l.most, l.spare = most, spare }

// Add adds an item to the line. While Next waits, only items under way may call it.
func (l *Line[T]) Add(t Turn[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case t.Next:
		l.first = slices.Insert(l.first, 0, t)
	case t.Last:
		l.last = append(l.last, t)
	default:
		l.first = append(l.first, t)
	}
}

// Next waits until there is room for the next item, and returns it. An item that is heavier than
// the room runs alone. Next returns false if nothing waits and nothing under way could add more, or
// if the line is closed or ctx has ended.
func (l *Line[T]) Next(ctx context.Context) (t Turn[T], ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.closed && ctx.Err() == nil {
		line := &l.first
		if len(*line) == 0 {
			line = &l.last
		}
		switch {
		case len(*line) > 0 && l.bears((*line)[0].Weight):
			t, *line = (*line)[0], (*line)[1:]
			l.taken += t.Weight
			return t, true
		case len(*line) == 0 && l.taken == 0:
			return t, false
		}
		l.wait()
	}
	return t, false
}

// bears reports whether an item of this weight may start now.
func (l *Line[T]) bears(weight int) bool {
	all := l.taken + weight
	return l.taken == 0 || all <= l.room || l.spare != nil && all <= l.most && l.spare()
}

// wait returns when an item has left, or after a Window if spare must be asked again.
func (l *Line[T]) wait() {
	if l.spare != nil {
		defer time.AfterFunc(Window, l.freed.Broadcast).Stop()
	}
	l.freed.Wait()
}

// Leave returns the room of a finished item.
func (l *Line[T]) Leave(t Turn[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken -= t.Weight
	l.freed.Broadcast()
}

// Close prevents further items from starting.
func (l *Line[T]) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

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

// Limit returns a context that ends when a budget of time is used up. 0 means no limit.
func Limit(ctx context.Context, budget time.Duration) (context.Context, context.CancelFunc) {
	if budget > 0 {
		return context.WithTimeout(ctx, budget)
	}
	return context.WithCancel(ctx)
}
