package rules

// memo keeps results that several rules share, each under its key. The zero memo is empty. It is
// not safe for concurrent use.
type memo[K comparable, V any] struct{ known map[K]V }

// get returns the result for a key. It calls find when it is asked for the key for the first time.
func (m *memo[K, V]) get(key K, find func(K) V) V {
	v, known := m.known[key]
	if !known {
		if m.known == nil {
			m.known = map[K]V{}
		}
		v = find(key)
		m.known[key] = v
	}
	return v
}

// remembered returns a function that calls find once for each key.
func remembered[K comparable, V any](find func(K) V) func(K) V {
	var m memo[K, V]
	return func(key K) V { return m.get(key, find) }
}
