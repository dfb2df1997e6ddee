package trace

import (
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// UntracedKeys returns the keys of granted locks that appear in no command, neither alone nor with
// a prefix or in braces. The effect of the servers on such a lock is unknown. Without commands, or
// without names, it returns nil.
func UntracedKeys(h *history.History, commands []history.Command) (keys []string) {
	if len(commands) == 0 || len(h.Header.Names) == 0 {
		return nil
	}
	granted := map[int]bool{}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Type != history.OK || e.F != history.Acquire {
			continue
		}
		granted[e.KeyOf()] = true
		for _, k := range e.Keys {
			granted[k] = true
		}
	}
	names := NamesOf(h.Header.Names)
	for i := 0; i < len(commands) && len(granted) > 0; i++ {
		for _, words := range append([][]string{commands[i].Args}, commands[i].Effects...) {
			for _, word := range words {
				if lock, known := names.Lock(word); known {
					delete(granted, lock)
				}
			}
		}
	}
	for lock := range granted {
		if lock < len(h.Header.Names) {
			keys = append(keys, h.Header.Names[lock])
		}
	}
	slices.Sort(keys)
	return keys
}
