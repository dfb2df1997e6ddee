package history

import "slices"

// Locks returns the numbers of the locks in a history, in the order of their first use.
func (h *History) Locks() []int {
	var keys []int
	for _, e := range h.Events {
		if e.Process < 0 || e.F == "" {
			continue
		}
		for _, k := range append(slices.Clone(e.Keys), e.KeyOf()) {
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// ForKey returns the events of one lock, and the events of all processes and faults.
func (h *History) ForKey(key int) *History {
	out := &History{Header: h.Header}
	out.Header.Keys = 1
	for _, e := range h.Events {
		if e.Process >= 0 && e.F != "" && e.Type != Fault {
			if e.KeyOf() != key && !slices.Contains(e.Keys, key) {
				continue
			}
			e.Key, e.Keys = Ptr(key), nil
		}
		out.Events = append(out.Events, e)
	}
	return out
}
