package pool

import (
	"context"
	"sync"
)

// Turn is an item that waits in line, and what it weighs beside others.
type Turn[T any] struct {
	Item   T
	Weight int
	Last   bool // it comes after all that are not
}

// Line lets items begin in their order, as many side by side as there is room for their weights.
// What is under way may add more. Its methods may be called by several goroutines.
type Line[T any] struct {
	room int

	mu          sync.Mutex
	freed       sync.Cond
	taken       int // by what is under way
	first, last []Turn[T]
	closed      bool
}

// NewLine is a line in which nothing waits.
func NewLine[T any](room int) *Line[T] {
	l := &Line[T]{room: room}
	l.freed.L = &l.mu
	return l
}

// Add lets an item wait. While Next waits, only what is under way may add one.
func (l *Line[T]) Add(t Turn[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.Last {
		l.last = append(l.last, t)
		return
	}
	l.first = append(l.first, t)
}

// Next waits until there is room for the item whose turn has come; what weighs more than there is
// room goes alone. It is not ok when nothing waits and nothing is under way that may add more, or
// when nothing more may begin.
func (l *Line[T]) Next(ctx context.Context) (t Turn[T], ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.closed && ctx.Err() == nil {
		line := &l.first
		if len(*line) == 0 {
			line = &l.last
		}
		switch {
		case len(*line) > 0 && (l.taken == 0 || l.taken+(*line)[0].Weight <= l.room):
			t, *line = (*line)[0], (*line)[1:]
			l.taken += t.Weight
			return t, true
		case len(*line) == 0 && l.taken == 0:
			return t, false
		}
		l.freed.Wait()
	}
	return t, false
}

// Leave makes room when an item is done.
func (l *Line[T]) Leave(t Turn[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken -= t.Weight
	l.freed.Broadcast()
}

// Close lets nothing more begin.
func (l *Line[T]) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}
