package record

import (
	"cmp"
	"slices"
	"sort"
)

// A Reach is a set of intervals. It tells in logarithmic time whether one of them meets another
// interval, because a history can have a million of both. It does not change once it is made.
type Reach []reached

// reached is the start of an interval, and the latest end of the intervals up to it. A Reach is
// sorted by the starts.
type reached struct {
	from int64
	Ends
}

// Ends are the latest end of some intervals, and the latest of another process than its own.
type Ends struct {
	latest, others int64
	process        int // whose end is the latest
}

// NoEnds returns the Ends of an empty set of intervals.
func NoEnds() Ends { return Ends{latest: never, others: never, process: -1} }

// Add takes another interval.
func (e *Ends) Add(x Interval) {
	switch {
	case x.Process == e.process:
		e.latest = max(e.latest, x.To)
	case x.To > e.latest:
		e.latest, e.others, e.process = x.To, e.latest, x.Process
	default:
		e.others = max(e.others, x.To)
	}
}

// Other returns the latest end of all processes but one, or a time before every stamp if there is
// none.
func (e *Ends) Other(process int) int64 {
	if e.process == process {
		return e.others
	}
	return e.latest
}

// NewReach returns the reach of intervals. It sorts ts.
func NewReach(ts []Interval) Reach {
	SortIntervals(ts)
	out := make(Reach, len(ts))
	last := NoEnds()
	for i, x := range ts {
		last.Add(x)
		out[i] = reached{x.From, last}
	}
	return out
}

// ReachBy returns the reach of each list of intervals. It sorts the lists.
func ReachBy[K comparable](times map[K][]Interval) map[K]Reach {
	out := make(map[K]Reach, len(times))
	for k, ts := range times {
		out[k] = NewReach(ts)
	}
	return out
}

// never is before every stamp.
const never = -Forever

// Meets reports whether one of the intervals begins at or before to and ends at or after from.
func (r Reach) Meets(from, to int64) bool {
	i := r.upTo(to)
	return i > 0 && r[i-1].latest >= from
}

// MeetsOther is Meets without the intervals of one process.
func (r Reach) MeetsOther(from, to int64, process int) bool {
	i := r.upTo(to)
	return i > 0 && r[i-1].Other(process) >= from
}

// upTo counts the intervals that begin at or before t.
func (r Reach) upTo(t int64) int {
	return sort.Search(len(r), func(i int) bool { return r[i].from > t })
}

// SortIntervals sorts by the beginning.
func SortIntervals(ts []Interval) {
	slices.SortFunc(ts, func(a, b Interval) int { return cmp.Compare(a.From, b.From) })
}

// Union returns the times that some of the intervals cover, disjoint and in order. It changes the
// slice.
func Union(all []Interval) (out []Interval) {
	SortIntervals(all)
	for _, x := range all {
		if n := len(out) - 1; n >= 0 && x.From <= out[n].To {
			out[n].To = max(out[n].To, x.To)
			continue
		}
		out = append(out, x)
	}
	return out
}
