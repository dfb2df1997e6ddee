package pool

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Turn is an item that waits in line, and what it weighs beside others.
type Turn[T any] struct {
	Item   T
	Weight int
	Next   bool // it comes before all that wait
	Last   bool // it comes after all that are not
}

// Line lets items begin in their order, as many side by side as there is room for their weights.
// What is under way may add more. Its methods may be called by several goroutines.
type Line[T any] struct {
	room  int
	most  int         // while there is something to spare
	spare func() bool // nil: never

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

// Stretch makes the room as large as most, for each item for which spare reports true when it would
// begin. It is called before Next; spare is asked again each Window, and must not use the line.
func (l *Line[T]) Stretch(most int, spare func() bool) { l.most, l.spare = most, spare }

// Add lets an item wait. While Next waits, only what is under way may add one.
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

// bears reports whether something may begin beside what is under way.
func (l *Line[T]) bears(weight int) bool {
	all := l.taken + weight
	return l.taken == 0 || all <= l.room || l.spare != nil && all <= l.most && l.spare()
}

// wait returns when room was made, or when there may be something to spare.
func (l *Line[T]) wait() {
	if l.spare != nil {
		defer time.AfterFunc(Window, l.freed.Broadcast).Stop()
	}
	l.freed.Wait()
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
