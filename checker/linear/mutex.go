package linear

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/lockbench/lockbench/checker/record"
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
	if plainlyLegal(ops) {
		return NoFlaw, 0, 0
	}
	return fastMutexExact(ops)
}

// plainlyLegal reports whether a mutex produced the operations and nothing is in doubt: all
// outcomes are known, no release was refused, tokens are numbered in the order of their acquires,
// and each is released at most once, after its acquire returned. Most histories are like that, and
// this check takes a third of the time. If it returns false, nothing is known.
func plainlyLegal(ops []Op) bool {
	type held struct{ from, end int64 }
	spans := make([]held, 1, acquires(ops)+1) // by token
	for i := range ops {
		switch o := &ops[i]; {
		case o.Outcome == Unsure:
			return false
		case o.Kind == Acquire:
			if int(o.Token) != len(spans) {
				return false
			}
			s := held{o.Ret, record.Forever}
			if o.Outcome == Refused {
				s = held{record.Forever, 0} // overlaps no span, and cannot be released
			}
			spans = append(spans, s)
		case o.Outcome == Refused || int(o.Token) >= len(spans):
			return false
		default:
			s := &spans[o.Token]
			if s.end != record.Forever || o.Call <= s.from {
				return false
			}
			s.end = o.Call
		}
	}
	last := int64(math.MinInt64)
	for _, s := range spans[1:] {
		if s.from < last {
			return false
		}
		last = max(last, s.end)
	}
	return true
}

// acquires returns how many acquires there are, if they are numbered in their order.
func acquires(ops []Op) int {
	for i := len(ops) - 1; i >= 0; i-- {
		if ops[i].Kind == Acquire {
			return min(len(ops), max(0, int(ops[i].Token)))
		}
	}
	return 0
}

// workspace is the memory of fastMutexExact. Used again and again, it spares most of the time,
// which would go into fresh memory.
type workspace struct {
	tokens []Token
	cores  []core
	points []int32
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

func fastMutexExact(ops []Op) (f Flaw, a, b int32) {
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	w.tokens = tokensIn(w.tokens, ops)
	ts := w.tokens
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
				return w.slow(ops) // acquires are not in the order of their returns
			}
			return Overlap, last, int32(i)
		}
		last = int32(i)
	}
	if points || refusals {
		return w.slow(ops)
	}
	return NoFlaw, 0, 0
}

// slow decides histories with refused releases, with points, or out of order. They cost at most a
// sort or a second look.
func (w *workspace) slow(ops []Op) (f Flaw, a, b int32) {
	ts := w.tokens
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
	w.split()
	cores, points := w.cores, w.points
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
func (w *workspace) split() {
	cores, points := slices.Grow(w.cores[:0], len(w.tokens)), w.points[:0]
	sorted := true
	for i := range w.tokens {
		t := &w.tokens[i]
		switch {
		case t.Core():
			sorted = sorted && (len(cores) == 0 || cores[len(cores)-1].from <= t.From)
			cores = append(cores, core{t.From, t.End, int32(i)})
		case t.point():
			points = append(points, int32(i))
		}
	}
	if !sorted {
		slices.SortFunc(cores, func(a, b core) int {
			return cmp.Or(cmp.Compare(a.from, b.from),
				cmp.Compare(a.token, b.token))
		})
	}
	w.cores, w.points = cores, points
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
