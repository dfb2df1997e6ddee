package trace

import (
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/internal/history"
)

// Spares reports whether a deletion is for another value than the one that a command wrote: the
// script of an owner who compares leaves it alone, and so does a command that compares.
func (r *Reader) Spares(m, by *history.Command) bool {
	value := r.effectOf(by).Value
	if e := r.effectOf(m); e.Compares {
		return !r.Declared(by) && e.Is != value
	}
	given := Inputs(m)
	if !r.Declared(m) || len(given) == 0 {
		return false
	}
	if r.Declared(by) {
		return named(by) && !slices.ContainsFunc(owners(by), func(id string) bool {
			return slices.Contains(given, id)
		})
	}
	return !slices.Contains(given, value)
}

// named reports whether a script that took a lock was told who its owner is.
func named(by *history.Command) bool { return len(owners(by)) > 0 }

// Inputs returns the arguments of a script after its keys, and of another command after its value.
func Inputs(m *history.Command) []string {
	return m.Args[min(firstKey+numberOfKeys(m), len(m.Args)):]
}

// owners returns the arguments of a script after its keys, except numbers. The owner's value is
// among them.
func owners(by *history.Command) (ids []string) {
	for _, arg := range Inputs(by) {
		if _, err := strconv.ParseFloat(arg, 64); err != nil {
			ids = append(ids, arg)
		}
	}
	return ids
}
