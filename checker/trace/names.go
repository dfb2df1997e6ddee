package trace

import (
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// Names are the numbers of the locks by their Redis keys. An environment may put a prefix before
// them.
type Names map[string]int

// NamesOf returns the names of locks in the order of their numbers.
func NamesOf(keys []string) Names {
	out := make(Names, len(keys))
	for i, key := range keys {
		if _, known := out[key]; !known {
			out[key] = i
		}
	}
	return out
}

// Lock returns the number of the lock that a Redis key belongs to, and whether there is one. If
// braces enclose the whole key, as a hash tag of Redis Cluster, the name is inside them. If they
// enclose only a part, the key is another key of the lock, such as a queue.
func (ns Names) Lock(key string) (number int, known bool) {
	if n := len(key); n > 2 && key[0] == '{' && key[n-1] == '}' {
		key = key[1 : n-1]
	}
	for more := true; more; _, key, more = strings.Cut(key, ":") {
		if i, ok := ns[key]; ok && (!known || i < number) {
			number, known = i, true
		}
	}
	return number, known
}

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
