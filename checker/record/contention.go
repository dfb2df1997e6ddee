package record

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
