package linear

import (
	"cmp"
	"slices"
	"sort"
)

// A Flaw is a reason why a mutex cannot have produced a history.
type Flaw uint8

// The flaws of a history.
const (
	NoFlaw         Flaw = iota
	DoubleRelease       // one acquisition was released twice with success
	PhantomRelease      // released with success although never acquired, or before
	LostLock            // refused to its own holder while it surely held
	Overlap             // two tokens surely held at once
	CoveredPoint        // released with success although another one held all the time
)

// FastMutex decides exactly, without search, whether a mutex (stepMutex) can have produced the
// operations. It returns the first flaw that it finds, with the one or two tokens that alone
// violate the model.
//
// For a token t let e be the call of its successful release; without one, of its first unknown
// release; otherwise forever. The history is linearizable if and only if
//  1. no token has two successful releases, each successful release has an acquire that is known or
//     unknown and was called before that release returned, and no refused release lies wholly
//     between the return of its acquire and e;
//  2. the spans (acquire returned, e) of the tokens whose acquire is known to have happened are
//     disjoint;
//  3. for each token whose hold may have been of no length (its acquire is unknown but its release
//     succeeded, or the release was called before the acquire returned), some instant that both
//     windows allow lies outside all spans.
//
// Necessary: in a linearization a token holds from before its acquire returned until after e. A
// refused release is legal only outside of that; an unknown release before a successful one had no
// effect, or the successful one would be illegal. So the hold covers the span, and holds are
// disjoint. A point is held at some instant of its windows, and no other token holds then.
// Sufficient: let each token of 2 hold just its span, and give each token of 3 an instant there;
// several fit into one gap, one after the other. Refused acquires go anywhere, refused releases
// outside their token's span, unknown operations without effect last.
func FastMutex(ops []Op) (f Flaw, a, b int32) {
	ts := Tokens(ops)
	last, points, refusals := int32(0), false, false
	for i := range ts {
		t := &ts[i]
		refusals = refusals || t.firstRefused >= 0
		if !t.Core() {
			if f := t.local(ops); f != NoFlaw {
				return f, int32(i), 0
			}
			points = points || t.point()
			continue
		}
		if t.releases > 1 {
			return DoubleRelease, int32(i), 0
		}
		if prev := &ts[last]; last > 0 && t.From < prev.End {
			if t.From < prev.From {
				return slow(ops, ts) // acquires are not in the order of their returns
			}
			return Overlap, last, int32(i)
		}
		last = int32(i)
	}
	if points || refusals {
		return slow(ops, ts)
	}
	return NoFlaw, 0, 0
}

// slow decides histories with refused releases, with points, or out of order. They cost at most a
// sort or a second look.
func slow(ops []Op, ts []Token) (f Flaw, a, b int32) {
	for i := range ts {
		if f := ts[i].local(ops); f != NoFlaw {
			return f, int32(i), 0
		}
	}
	for i := range ops {
		if o := &ops[i]; o.Kind == Release && o.Outcome == Refused && ts[o.Token].refuses(o) {
			return LostLock, o.Token, 0
		}
	}
	cores, points := split(ts)
	for i := 1; i < len(cores); i++ {
		if cores[i].from < cores[i-1].end {
			return Overlap, cores[i-1].token, cores[i].token
		}
	}
	for _, p := range points {
		if c := ts[p].covered(ops, cores); c >= 0 {
			return CoveredPoint, p, cores[c].token
		}
	}
	return NoFlaw, 0, 0
}

// local finds the flaws of condition 1 that a token has by itself, without refused releases.
func (t *Token) local(ops []Op) Flaw {
	switch {
	case t.releases > 1:
		return DoubleRelease
	case t.released && (t.acquire < 0 || ops[t.release].Ret < ops[t.acquire].Call):
		return PhantomRelease
	}
	return NoFlaw
}

// refuses reports whether a refused release lies wholly in the time when its token surely held.
func (t *Token) refuses(o *Op) bool { return t.Core() && t.From < o.Call && o.Ret < t.End }

// point reports whether the token is one of condition 3.
func (t *Token) point() bool { return !t.Core() && t.acquire >= 0 && t.release >= 0 }

// core is the span of a token.
type core struct {
	from, end int64
	token     int32
}

// split finds the spans of the tokens that surely held, in the order of their starts, and the
// tokens of condition 3.
func split(ts []Token) (cores []core, points []int32) {
	for i := range ts {
		switch t := &ts[i]; {
		case t.Core():
			cores = append(cores, core{t.From, t.End, int32(i)})
		case t.point():
			points = append(points, int32(i))
		}
	}
	slices.SortFunc(cores, func(a, b core) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.token, b.token))
	})
	return cores, points
}

// covered returns the index of the span that contains every instant at which a point could be, or
// -1.
func (t *Token) covered(ops []Op, cores []core) int {
	a, r := &ops[t.acquire], &ops[t.release]
	lo, hi := max(a.Call, r.Call), min(a.Ret, r.Ret)
	k := sort.Search(len(cores), func(i int) bool { return cores[i].from >= lo }) - 1
	if k >= 0 && hi < cores[k].end {
		return k
	}
	return -1
}
