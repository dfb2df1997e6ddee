package trace

import "strings"

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
