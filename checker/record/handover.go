package record

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
