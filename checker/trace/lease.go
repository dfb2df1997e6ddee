package trace

import (
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// Renews reports whether an answered command gave a key that was there another lease.
func (t *Trace) Renews(m *history.Command) bool {
	if !Answered(m) {
		return false
	}
	if e, ok := t.observed(m); ok {
		return e.Kind == Expire
	}
	return t.prolongs(m) || EffectOf(m.Args).Kind == Expire && found(m)
}

// Empties reports whether a command deletes keys that it does not name.
func Empties(m *history.Command) bool {
	return slices.Contains([]string{"FLUSHALL", "FLUSHDB", "SWAPDB"}, Verb(m))
}
