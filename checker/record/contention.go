package record

import (
	"maps"
	"slices"
)

// Interval is a time when a process was active: a call, or an acquire call with the hold that it
// got.
type Interval struct {
	From, To int64
	Process  int
}

// Contended counts the acquisitions with competition: between the invocation of the acquire and the
// end of the hold, another live client had an acquire call for the same key open. A call of a
// killed client is open until the kill.
func (r *Record) Contended() int {
	calls := map[int][]Interval{}
	for _, c := range r.Calls {
		for _, k := range c.Keys {
			calls[k] = append(calls[k], Interval{From: c.From, To: c.To, Process: c.Process})
		}
	}
	holds := map[int][]Interval{}
	for i := range r.Holds {
		h := &r.Holds[i]
		holds[h.Key] = append(holds[h.Key], Interval{h.Call, h.End, h.Process})
	}
	n := 0
	for key, hs := range holds {
		n += meet(hs, calls[key])
	}
	return n
}

// meet counts the intervals a that have an instant in common with some b of another process.
func meet(as, bs []Interval) (n int) {
	reach := NewReach(bs)
	for _, a := range as {
		if reach.MeetsOther(a.From+1, a.To-1, a.Process) { // touching ends share no instant
			n++
		}
	}
	return n
}

// Handovers counts the grants of a lock to another client than the previous one. A client that is
// granted a lock again and again hands it to itself. That shows nothing about the interplay of
// clients.
func (r *Record) Handovers() (n int) {
	last := map[int]int{} // lock -> the client that was granted it last
	for i := range r.Holds {
		h := &r.Holds[i]
		if p, ok := last[h.Key]; ok && p != h.Process {
			n++
		}
		last[h.Key] = h.Process
	}
	return n
}

// LongestWait returns the longest time for which an acquire call was open, except calls that a kill
// cut off. A client may wait for long while others are granted the lock.
func (r *Record) LongestWait() (longest int64) {
	for i := range r.Calls {
		if k := &r.Calls[i]; k.Outcome != "" {
			longest = max(longest, k.To-k.From)
		}
	}
	return longest
}

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
