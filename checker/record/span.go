package record

import (
	"cmp"
	"slices"
)

// ExclusionRule says whose word counts for the end of a hold. Each one ends a hold no later than
// the one before.
type ExclusionRule uint8

// The rules.
const (
	// the client's: it is inside until it calls release, or is killed
	UntilRelease ExclusionRule = iota
	AsDeclared                 // the lock's: also no longer than the lock itself says
	WhileLeased                // the server's: also no longer than the lease that was granted
)

// Span is the time in which a hold surely lasts, as one rule has it: from the grant's return
// until just before end. It is never empty.
type Span struct {
	From, End int64
	Hold      int32 // index into record.holds
	Lease     int32 // index into hold.leases
}

// Spans returns the sure spans of each key, in the order in which they begin. What happened at or
// after cut does not count.
//
// Spans of one process and key are disjoint: Of has merged nested holds and ended forgotten ones,
// and leases that do not join are apart. So two spans that overlap are always of two clients.
func (r *Record) Spans(b ExclusionRule, cut int64) map[int][]Span {
	all := map[int][]Span{}
	for i := range r.Holds {
		h := &r.Holds[i]
		if b < WhileLeased { // one span at most: no need to make a list of it
			if s, ok := h.span(i, b, cut); ok {
				all[h.Key] = append(all[h.Key], s)
			}
			continue
		}
		all[h.Key] = append(all[h.Key], h.Spans(i, b, cut)...)
	}
	for _, ss := range all {
		slices.SortStableFunc(ss, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	}
	return all
}

// span returns the span of a hold without regard to leases, and whether there is one.
func (h *Hold) span(i int, b ExclusionRule, cut int64) (Span, bool) {
	end := min(h.End, cut)
	if b >= AsDeclared {
		end = min(end, h.Lost, h.Valid)
	}
	return Span{h.From, end, int32(i), 0}, h.From < end
}

// Spans returns the spans of one hold: one for each lease, or one at most if leases do not count.
func (h *Hold) Spans(i int, b ExclusionRule, cut int64) []Span {
	s, ok := h.span(i, b, cut)
	if !ok {
		return nil
	}
	if b < WhileLeased {
		return []Span{s}
	}
	var out []Span
	for j, l := range h.Leases {
		if to := min(s.End, l.To); l.From < to {
			out = append(out, Span{l.From, to, int32(i), int32(j)})
		}
	}
	return out
}

// FirstOverlap decides mutual exclusion exactly and in one pass: it returns the earliest pair of
// spans with an instant in common, or ok false. The spans must come in the order in which they
// begin.
//
// That this is the whole truth: a history of holds that certainly happened is linearizable as a
// mutex if and only if the spans are disjoint. If it is linearizable, each hold's span lies inside
// the time between the instants at which the mutex was taken and freed, and those times are
// disjoint. If the spans are disjoint, take the mutex just when the acquire returns and free it
// just when the hold ends: both lie inside the windows of the calls. Ends that touch are
// concurrent, so allowed.
func FirstOverlap(ss []Span) (a, b int, ok bool) {
	if len(ss) == 0 {
		return 0, 0, false
	}
	last := ss[0].End
	for i := 1; i < len(ss); i++ {
		if ss[i].From < last {
			return longestBefore(ss, i), i, true
		}
		last = ss[i].End // disjoint so far: this one ends last
	}
	return 0, 0, false
}

// longestBefore returns the span before i that ends last.
func longestBefore(ss []Span, i int) int {
	best := i - 1
	for j := range ss[:i] {
		if ss[j].End > ss[best].End {
			best = j
		}
	}
	return best
}

// Overlaps calls yield for each span that begins inside an earlier one, with the earlier one that
// ends last, until yield returns false.
func Overlaps(ss []Span, yield func(a, b Span) bool) {
	far := 0
	for i := 1; i < len(ss); i++ {
		if ss[i].From < ss[far].End && !yield(ss[far], ss[i]) {
			return
		}
		if ss[i].End > ss[far].End {
			far = i
		}
	}
}
