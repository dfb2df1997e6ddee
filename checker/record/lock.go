package record

import (
	"maps"
	"slices"
)

// Lock is the record of one lock: its holds, by the stamp of the grant, and the acquire calls for
// it, by the stamp of the completion.
type Lock struct {
	Key   int
	Holds []*Hold
	Calls []*Call
}

// LastLeft returns when the last other client had left the locks of a call before it was over, or
// 0.
func (r *Record) LastLeft(k *Call) (left int64) {
	for i := range r.Holds {
		h := &r.Holds[i]
		if h.Process != k.Process && slices.Contains(k.Keys, h.Key) && h.Call < k.To {
			left = max(left, r.LeftAt(h))
		}
	}
	return left
}

// Locks returns all locks that a client asked for, by number.
func (r *Record) Locks() (out []Lock) {
	all := map[int]*Lock{}
	of := func(key int) *Lock {
		if all[key] == nil {
			all[key] = &Lock{Key: key}
		}
		return all[key]
	}
	for i := range r.Calls {
		for _, key := range r.Calls[i].Keys {
			l := of(key)
			l.Calls = append(l.Calls, &r.Calls[i])
		}
	}
	for i := range r.Holds {
		l := of(r.Holds[i].Key)
		l.Holds = append(l.Holds, &r.Holds[i])
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		out = append(out, *all[key])
	}
	return out
}
