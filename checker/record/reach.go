package record

import (
	"cmp"
	"slices"
	"sort"
)

// Reach answers of many intervals whether one of them has an instant in common with a time, in
// logarithmic time: a history has a million of each. It is read only once it is made.
type Reach []reached

// reached is an interval in the order of beginnings, with what those up to it reach to.
type reached struct {
	from    int64
	latest  int64 // the latest end so far
	others  int64 // the latest end so far of another process than that whose end is the latest
	process int   // whose end is the latest
}

// NewReach returns the reach of intervals, which it sorts.
func NewReach(ts []Interval) Reach {
	SortIntervals(ts)
	out := make(Reach, len(ts))
	last := reached{latest: never, others: never, process: -1}
	for i, x := range ts {
		last.from = x.From
		switch {
		case x.Process == last.process:
			last.latest = max(last.latest, x.To)
		case x.To > last.latest:
			last.latest, last.others, last.process = x.To, last.latest, x.Process
		default:
			last.others = max(last.others, x.To)
		}
		out[i] = last
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

// MeetsOther is Meets for the intervals of all processes but one.
func (r Reach) MeetsOther(from, to int64, process int) bool {
	i := r.upTo(to)
	if i == 0 {
		return false
	}
	if last := &r[i-1]; last.process != process {
		return last.latest >= from
	}
	return r[i-1].others >= from
}

// upTo counts the intervals that begin at or before t.
func (r Reach) upTo(t int64) int {
	return sort.Search(len(r), func(i int) bool { return r[i].from > t })
}

// SortIntervals sorts by the beginning.
func SortIntervals(ts []Interval) {
	slices.SortFunc(ts, func(a, b Interval) int { return cmp.Compare(a.From, b.From) })
}
