package record

import (
	"cmp"
	"iter"
	"slices"
)

// ExclusionRule says whose word counts for the end of a hold. Each one ends a hold no later than
// the one before.
type ExclusionRule uint8

// The rules.
const (
	// the client's: it is inside until it calls release, or is killed
	UntilRelease ExclusionRule = iota
	// the lock's and the server's: also no longer than the lock itself says, and than the lease that
	// was granted
	WhileLeased
)

// Span is the time when a hold surely lasts under one rule: from the grant's return until just
// before end. It is never empty.
type Span struct {
	From, End int64
	Hold      int32 // index into record.holds
	Lease     int32 // index into hold.leases
	Shared    bool  // other shared spans may overlap it
}

// Conflict reports whether two spans have an instant in common that they must not have.
func (s Span) Conflict(o Span) bool {
	return !(s.Shared && o.Shared) && s.From < o.End && o.From < s.End
}

// Spans returns the sure spans of each key, in the order of their beginnings. It ignores everything
// from cut on.
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
	if b == WhileLeased {
		end = min(end, h.Lost, h.Valid)
	}
	return Span{h.From, end, int32(i), 0, h.Shared}, h.From < end
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
			out = append(out, Span{l.From, to, int32(i), int32(j), h.Shared})
		}
	}
	return out
}

// latest are the spans so far that end last.
type latest struct{ all, exclusive Span }

func (l *latest) add(s Span) {
	if s.End > l.all.End {
		l.all = s
	}
	if !s.Shared && s.End > l.exclusive.End {
		l.exclusive = s
	}
}

// Overlaps yields each span that begins inside an earlier one and conflicts with it, after the
// earlier one that ends last. It decides mutual exclusion exactly and in one pass: if it yields
// nothing, no two spans conflict. The spans must come in the order of their beginnings.
//
// Proof that this is exact: a history of holds that certainly happened is linearizable as a mutex
// if and only if the spans are disjoint. If it is linearizable, each hold's span lies inside the
// time between the instants when the mutex was taken and freed, and those times are disjoint. If
// the spans are disjoint, take the mutex just when the acquire returns and free it just when the
// hold ends: both lie inside the windows of the calls. Touching ends are concurrent, so allowed.
// For shared holds, the same is true of every two that conflict.
func Overlaps(ss []Span) iter.Seq2[Span, Span] {
	return func(yield func(a, b Span) bool) {
		latest := latest{all: Span{End: never}, exclusive: Span{End: never}}
		for _, s := range ss {
			before := latest.all
			if s.Shared {
				before = latest.exclusive
			}
			if s.From < before.End && !yield(before, s) {
				return
			}
			latest.add(s)
		}
	}
}

// Disjoint reports whether no two spans conflict. They must come in the order of their beginnings.
func Disjoint(ss []Span) bool {
	for range Overlaps(ss) {
		return false
	}
	return true
}

// Together joins overlapping shared spans into one, from the first beginning to the last end. An
// exclusive span conflicts with one of them if and only if it overlaps the whole, because each
// instant of the whole lies in one of them. So it remains to ask whether all spans are disjoint.
// The spans must come in the order of their beginnings, and the result has the same order.
func Together(ss []Span) []Span {
	if !slices.ContainsFunc(ss, func(s Span) bool { return s.Shared }) {
		return ss
	}
	var out []Span
	open := -1 // index in out of the latest that is shared
	for _, s := range ss {
		if s.Shared && open >= 0 && s.From < out[open].End {
			out[open].End = max(out[open].End, s.End)
			continue
		}
		if s.Shared {
			open = len(out)
		}
		out = append(out, s)
	}
	return out
}

// Pair is two overlapping holds of one key under one rule: the evidence of a violation of mutual
// exclusion.
type Pair struct {
	Rule         ExclusionRule
	Key          int
	A, B         *Hold // A was granted first
	SpanA, SpanB Span
	From, To     int64 // both were surely inside

	// the servers that had granted each one, of several that know nothing of each other
	VotesA, VotesB []string

	Token string // of both clients, so that one passed for the other; "" if none
}

// Pair returns the pair of two spans of a key, if b begins inside a, with their holds.
func (r *Record) Pair(rule ExclusionRule, key int, a, b Span) *Pair {
	return &Pair{Rule: rule, Key: key, A: &r.Holds[a.Hold], B: &r.Holds[b.Hold], SpanA: a, SpanB: b,
		From: b.From, To: min(a.End, b.End)}
}
