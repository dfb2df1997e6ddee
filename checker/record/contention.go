package record

import (
	"cmp"
	"slices"
	"sort"
)

// Interval is a time in which something of a process was under way: a call, or an acquire call with
// the hold that it got.
type Interval struct {
	From, To      int64
	Process, hold int
}

// Contended counts the acquisitions for which there is an instant, between the invocation of the
// acquire and the end of the hold, at which another live client had an acquire call for the same
// key open. A call of a killed client is open until the kill.
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
		holds[h.Key] = append(holds[h.Key], Interval{h.Call, h.End, h.Process, i})
	}
	n := 0
	for key, hs := range holds {
		n += meet(hs, calls[key])
	}
	return n
}

// meet counts the intervals a that have an instant in common with some b of another process.
func meet(as, bs []Interval) int {
	SortIntervals(bs)
	// of the first i: the one that ends last, and the one of another process that does
	longest := make([][2]Interval, len(bs)+1)
	for i, b := range bs {
		l := longest[i]
		switch {
		case i == 0 || b.Process == l[0].Process:
			if i == 0 || b.To > l[0].To {
				l[0] = b
			}
		case b.To > l[0].To:
			l[0], l[1] = b, l[0]
		case l[1] == (Interval{}) || b.To > l[1].To:
			l[1] = b
		}
		longest[i+1] = l
	}
	n := 0
	for _, a := range as {
		i := sort.Search(len(bs), func(i int) bool { return bs[i].From >= a.To })
		for _, b := range longest[i] {
			if b != (Interval{}) && b.Process != a.Process && b.To > a.From {
				n++
				break
			}
		}
	}
	return n
}

// SortIntervals sorts by the beginning.
func SortIntervals(ts []Interval) {
	slices.SortFunc(ts, func(a, b Interval) int { return cmp.Compare(a.From, b.From) })
}
