package checker

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/lockbench/lockbench/checker/record"
)

// flaw is why a history of operations is not that of a mutex.
type flaw uint8

const (
	none           flaw = iota
	doubleRelease       // one acquisition was released twice with success
	phantomRelease      // released with success although never acquired, or before
	lostLock            // refused to its own holder while it surely held
	overlap             // two tokens surely held at once
	coveredPoint        // released with success although another one held all the time
)

// fastMutex decides exactly, without search, whether operations are those of a mutex (stepMutex).
// It returns the first flaw that it finds with the one or two tokens that are a violation by
// themselves.
//
// For a token t let e be the call of its successful release; if there is none, of its first unknown
// one; else forever. The history is linearizable if and only if
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
// disjoint. A point is held at some instant of its windows, and nobody else holds then. Sufficient:
// let each token of 2 hold just its span, and give each token of 3 an instant there; several fit
// into one gap, one after the other. Refused acquires go anywhere, refused releases outside their
// token's span, unknown operations without effect last.
func fastMutex(ops []op) (f flaw, a, b int32) {
	if plainlyLegal(ops) {
		return none, 0, 0
	}
	return fastMutexExact(ops)
}

// plainlyLegal reports whether operations are those of a mutex and nothing about them is in doubt:
// all outcomes are known, no release was refused, tokens are numbered in the order in which their
// acquires come, and each is released once at most, after its acquire returned. That is what most
// histories are like, and takes a third of the time. On false, nothing is known.
func plainlyLegal(ops []op) bool {
	type held struct{ from, end int64 }
	spans := make([]held, 1, acquires(ops)+1) // by token
	for i := range ops {
		switch o := &ops[i]; {
		case o.outcome == unsure:
			return false
		case o.kind == acquire:
			if int(o.token) != len(spans) {
				return false
			}
			s := held{o.ret, record.Forever}
			if o.outcome == refused {
				s = held{record.Forever, 0} // in nobody's way, and cannot be released
			}
			spans = append(spans, s)
		case o.outcome == refused || int(o.token) >= len(spans):
			return false
		default:
			s := &spans[o.token]
			if s.end != record.Forever || o.call <= s.from {
				return false
			}
			s.end = o.call
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
func acquires(ops []op) int {
	for i := len(ops) - 1; i >= 0; i-- {
		if ops[i].kind == acquire {
			return min(len(ops), max(0, int(ops[i].token)))
		}
	}
	return 0
}

// workspace is the memory of fastMutexExact. Used again and again, it spares most of the time, which
// would go into fresh memory.
type workspace struct {
	tokens []token
	cores  []core
	points []int32
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

func fastMutexExact(ops []op) (f flaw, a, b int32) {
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	w.tokens = tokensIn(w.tokens, ops)
	ts := w.tokens
	last, points, refusals := int32(0), false, false
	for i := range ts {
		t := &ts[i]
		refusals = refusals || t.firstRefused >= 0
		if !t.core() {
			if f := t.local(ops); f != none {
				return f, int32(i), 0
			}
			points = points || t.point()
			continue
		}
		if t.releases > 1 {
			return doubleRelease, int32(i), 0
		}
		if prev := &ts[last]; last > 0 && t.from < prev.end {
			if t.from < prev.from {
				return w.slow(ops) // acquires are not in the order of their returns
			}
			return overlap, last, int32(i)
		}
		last = int32(i)
	}
	if points || refusals {
		return w.slow(ops)
	}
	return none, 0, 0
}

// slow is for histories with refused releases, with points, or out of order; those cost a sort or a
// second look at most.
func (w *workspace) slow(ops []op) (f flaw, a, b int32) {
	ts := w.tokens
	for i := range ts {
		if f := ts[i].local(ops); f != none {
			return f, int32(i), 0
		}
	}
	for i := range ops {
		if o := &ops[i]; o.kind == release && o.outcome == refused && ts[o.token].refuses(o) {
			return lostLock, o.token, 0
		}
	}
	w.split()
	cores, points := w.cores, w.points
	for i := 1; i < len(cores); i++ {
		if cores[i].from < cores[i-1].end {
			return overlap, cores[i-1].token, cores[i].token
		}
	}
	for _, p := range points {
		if c := ts[p].covered(ops, cores); c >= 0 {
			return coveredPoint, p, cores[c].token
		}
	}
	return none, 0, 0
}

// local finds the flaws of condition 1 that a token has by itself, without refused releases.
func (t *token) local(ops []op) flaw {
	switch {
	case t.releases > 1:
		return doubleRelease
	case t.released && (t.acquire < 0 || ops[t.release].ret < ops[t.acquire].call):
		return phantomRelease
	}
	return none
}

// refuses reports whether a refused release lies wholly in the time in which its token surely held.
func (t *token) refuses(o *op) bool { return t.core() && t.from < o.call && o.ret < t.end }

// point reports whether the token is one of condition 3.
func (t *token) point() bool { return !t.core() && t.acquire >= 0 && t.release >= 0 }

// core is the span of a token.
type core struct {
	from, end int64
	token     int32
}

// split finds the spans of the tokens that surely held, in the order in which they begin, and the
// tokens of condition 3.
func (w *workspace) split() {
	cores, points := slices.Grow(w.cores[:0], len(w.tokens)), w.points[:0]
	sorted := true
	for i := range w.tokens {
		t := &w.tokens[i]
		switch {
		case t.core():
			sorted = sorted && (len(cores) == 0 || cores[len(cores)-1].from <= t.from)
			cores = append(cores, core{t.from, t.end, int32(i)})
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
func (t *token) covered(ops []op, cores []core) int {
	a, r := &ops[t.acquire], &ops[t.release]
	lo, hi := max(a.call, r.call), min(a.ret, r.ret)
	k := sort.Search(len(cores), func(i int) bool { return cores[i].from >= lo }) - 1
	if k >= 0 && hi < cores[k].end {
		return k
	}
	return -1
}
