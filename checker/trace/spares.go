package trace

import (
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/internal/history"
)

// Spares reports whether a deletion is for another value than the one that a command wrote: the
// script of an owner who compares leaves it alone, and so does a command that compares.
func (r *Reader) Spares(m, by *history.Command) bool {
	value := EffectOf(by.Args).Value
	if e := EffectOf(m.Args); e.Compares {
		return !r.Declared(by) && e.Is != value
	}
	if !r.Declared(m) || len(m.Args) <= 4 {
		return false
	}
	if r.Declared(by) {
		return named(by) && !slices.ContainsFunc(owners(by), func(id string) bool {
			return slices.Contains(m.Args[4:], id)
		})
	}
	return !slices.Contains(m.Args[4:], value)
}

// named reports whether a script that took a lock was told who its owner is.
func named(by *history.Command) bool { return len(owners(by)) > 0 }

// owners returns the arguments of a script after its keys, except numbers. The owner's value is
// among them.
func owners(by *history.Command) (ids []string) {
	if len(by.Args) < 4 {
		return nil
	}
	keys, err := strconv.Atoi(by.Args[2])
	if err != nil || keys < 0 {
		return nil
	}
	for _, arg := range by.Args[min(3+keys, len(by.Args)):] {
		if _, err := strconv.ParseFloat(arg, 64); err != nil {
			ids = append(ids, arg)
		}
	}
	return ids
}
