package checker

import (
	"strings"

	"github.com/lockbench/lockbench/history"
)

// names are the Redis keys of the locks, by number. An environment may put a prefix before them.
type names []string

// lock returns the number of the lock that a Redis key is, and whether it is one.
func (ns names) lock(key string) (int, bool) {
	for i, n := range ns {
		if key == n || strings.HasSuffix(key, ":"+n) {
			return i, true
		}
	}
	return 0, false
}

// isOf reports whether a command is about a lock, for all that the header says of the keys' names.
func (c *check) isOf(m *history.Command, lock int) bool {
	ns := names(c.history.Header.Names)
	if len(ns) == 0 {
		return true
	}
	i, ok := ns.lock(keyOfCommand(m))
	return ok && i == lock
}

// lockOf returns the number of the lock that a command is about, and whether it is known.
func (g *grants) lockOf(m *history.Command) (int, bool) {
	if len(g.names) > 0 {
		return g.names.lock(keyOfCommand(m))
	}
	i, ok := g.keys[keyOfCommand(m)]
	return i, ok
}
