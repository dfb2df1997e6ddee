package checker

import (
	"cmp"
	"slices"
)

// belief says whose word counts for the end of a hold. Each one ends a hold no later than the one
// before.
type belief uint8

const (
	untilRelease belief = iota // the client's: it is inside until it calls release, or is killed
	asDeclared                 // the lock's: also no longer than the lock itself says
	whileLeased                // the server's: also no longer than the lease that was granted
)

// span is the time in which a hold surely lasts, as one belief has it: from the grant's return
// until just before end. It is never empty.
type span struct {
	from, end int64
	hold      int32 // index into record.holds
	lease     int32 // index into hold.leases
}

// spans returns the sure spans of each key, in the order in which they begin. What happened at or
// after cut does not count.
//
// Spans of one process and key are disjoint: collect has merged nested holds and ended forgotten
// ones, and leases that do not join are apart. So two spans that overlap are always of two clients.
func (r *record) spans(b belief, cut int64) map[int][]span {
	all := map[int][]span{}
	for i := range r.holds {
		h := &r.holds[i]
		if b < whileLeased { // one span at most: no need to make a list of it
			if s, ok := h.span(i, b, cut); ok {
				all[h.key] = append(all[h.key], s)
			}
			continue
		}
		all[h.key] = append(all[h.key], spansOf(h, i, b, cut)...)
	}
	for _, ss := range all {
		slices.SortStableFunc(ss, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	}
	return all
}

// span returns the span of a hold without regard to leases, and whether there is one.
func (h *hold) span(i int, b belief, cut int64) (span, bool) {
	end := min(h.end, cut)
	if b >= asDeclared {
		end = min(end, h.lost, h.valid)
	}
	return span{h.from, end, int32(i), 0}, h.from < end
}

// spansOf returns the spans of one hold: one for each lease, or one at most if leases do not count.
func spansOf(h *hold, i int, b belief, cut int64) []span {
	s, ok := h.span(i, b, cut)
	if !ok {
		return nil
	}
	if b < whileLeased {
		return []span{s}
	}
	var out []span
	for j, l := range h.leases {
		if to := min(s.end, l.to); l.from < to {
			out = append(out, span{l.from, to, int32(i), int32(j)})
		}
	}
	return out
}

// firstOverlap decides mutual exclusion exactly and in one pass: it returns the earliest pair of
// spans with an instant in common, or ok false. The spans must come in the order in which they
// begin.
//
// That this is the whole truth: a history of holds that certainly happened is linearizable as a
// mutex if and only if the spans are disjoint. If it is linearizable, each hold's span lies inside
// the time between the instants at which the mutex was taken and freed, and those times are
// disjoint. If the spans are disjoint, take the mutex just when the acquire returns and free it
// just when the hold ends: both lie inside the windows of the calls. Ends that touch are
// concurrent, so allowed.
func firstOverlap(ss []span) (a, b int, ok bool) {
	if len(ss) == 0 {
		return 0, 0, false
	}
	last := ss[0].end
	for i := 1; i < len(ss); i++ {
		if ss[i].from < last {
			return longestBefore(ss, i), i, true
		}
		last = ss[i].end // disjoint so far: this one ends last
	}
	return 0, 0, false
}

// longestBefore returns the span before i that ends last.
func longestBefore(ss []span, i int) int {
	best := i - 1
	for j := range ss[:i] {
		if ss[j].end > ss[best].end {
			best = j
		}
	}
	return best
}

// overlaps calls yield for each span that begins inside an earlier one, with the earlier one that
// ends last, until yield returns false.
func overlaps(ss []span, yield func(a, b span) bool) {
	far := 0
	for i := 1; i < len(ss); i++ {
		if ss[i].from < ss[far].end && !yield(ss[far], ss[i]) {
			return
		}
		if ss[i].end > ss[far].end {
			far = i
		}
	}
}
