package linear_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockbench/lockbench/checker/linear/lineartest"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
)

// TestLeaseAgainstBruteForce compares the lease model with all orders of the holds, and the fast
// check where it is exact.
func TestLeaseAgainstBruteForce(t *testing.T) {
	legal, exact := 0, 0
	n := lineartest.Rounds(4000, 300_000)
	for seed := range n {
		hs := randomLeases(rand.New(rand.NewPCG(uint64(seed), 11)))
		want := anyOrder(hs, make([]bool, len(hs)), len(hs), math.MinInt64)
		got := true
		for _, p := range linear.Idle(hs) {
			got = got && porcupine.CheckOperations(linear.LeaseModel(), linear.LeaseOperations(p))
		}
		bad, first, sure := linear.FastLease(hs)
		if got != want || sure && (bad < 0) != want {
			t.Fatalf("seed %d: brute force %v, porcupine %v, fast %v (exact: %v)\n%+v", seed, want, got,
				bad < 0, sure, hs)
		}
		if want {
			legal++
		}
		if sure {
			exact++
			if bad >= 0 && anyOrder(hs[first:bad+1], make([]bool, bad+1-first), bad+1-first, math.MinInt64) {
				t.Fatalf("seed %d: the chain of the witness is possible by itself\n%+v", seed, hs[first:bad+1])
			}
		}
	}
	t.Logf("%d instances, %d legal, %d decided without search", n, legal, exact)
}

func anyOrder(hs []linear.LeaseHold, used []bool, left int, t int64) bool {
	if left == 0 {
		return true
	}
	for i := range hs {
		if used[i] {
			continue
		}
		if end, ok := hs[i].Place(t); ok {
			used[i] = true
			fits := anyOrder(hs, used, left-1, end)
			used[i] = false
			if fits {
				return true
			}
		}
	}
	return false
}

func randomLeases(r *rand.Rand) []linear.LeaseHold {
	span, window, ttl := int64(5+r.IntN(60)), int64(1+r.IntN(12)), int64(1+r.IntN(15))
	hs := make([]linear.LeaseHold, 1+r.IntN(6))
	for i := range hs {
		h := &hs[i]
		h.Call = r.Int64N(span)
		h.Ret = h.Call + r.Int64N(window+1)
		h.TTL = ttl
		if r.IntN(3) == 0 {
			h.TTL = 1 + r.Int64N(15)
		}
		h.Answer = linear.Answer(r.IntN(4))
		h.Released, h.Replied = record.Forever, record.Forever
		if h.Answer != linear.NoRelease {
			h.Released = h.Ret + 1 + r.Int64N(h.TTL+4)
			h.Replied = h.Released + r.Int64N(6)
		}
		if h.Answer == linear.ReleaseUnknown {
			h.Replied = record.Forever
		}
		if h.Answer == linear.ReleaseOK && r.IntN(4) == 0 { // its acquire was never answered
			h.Ret = h.Replied
		}
	}
	slices.SortFunc(hs, func(a, b linear.LeaseHold) int { return int(a.Ret - b.Ret) })
	return hs
}

// TestLeaseAgainstInstants compares the lease model with all instants at which holds may begin and
// end, one by one.
func TestLeaseAgainstInstants(t *testing.T) {
	legal := 0
	n := lineartest.Rounds(1500, 20_000)
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 23))
		hs := make([]linear.LeaseHold, 1+r.IntN(3))
		for i := range hs {
			h := &hs[i]
			h.Call, h.TTL, h.Answer = r.Int64N(8), 1+r.Int64N(5), linear.Answer(r.IntN(4))
			h.Ret = h.Call + r.Int64N(4)
			h.Released, h.Replied = record.Forever, record.Forever
			if h.Answer != linear.NoRelease {
				h.Released = h.Ret + r.Int64N(5)
				h.Replied = h.Released + r.Int64N(3)
			}
			extendSometimes(r, h)
		}
		slices.SortFunc(hs, func(a, b linear.LeaseHold) int { return int(a.Ret - b.Ret) })
		want := anyInstants(hs, nil)
		for i := range hs {
			hs[i].Extend(slices.Clone(hs[i].Extended))
		}
		got := true
		for _, p := range linear.Idle(hs) {
			got = got && porcupine.CheckOperations(linear.LeaseModel(), linear.LeaseOperations(p))
		}
		if got != want {
			t.Fatalf("seed %d: by instants %v, porcupine %v\n%+v", seed, want, got, hs)
		}
		if want {
			legal++
		}
	}
	t.Logf("%d instances, %d legal", n, legal)
}

// anyInstants tries all ends and beginnings of the holds that are left, given those that are taken.
func anyInstants(hs []linear.LeaseHold, taken [][2]int64) bool {
	if len(hs) == 0 {
		return true
	}
	h := hs[0]
	for a := h.Call; a <= h.Ret; a++ {
		for e := a; e <= a+h.TTL*int64(len(h.Extended)+1); e++ {
			free := !slices.ContainsFunc(taken, func(x [2]int64) bool { return e > x[0] && x[1] > a })
			if free && mayEnd(&h, a, e) && anyInstants(hs[1:], append(slices.Clone(taken), [2]int64{a, e})) {
				return true
			}
		}
	}
	return false
}

// extendSometimes puts up to two extensions between the grant of a hold and its release.
func extendSometimes(r *rand.Rand, h *linear.LeaseHold) {
	at := h.Ret
	for range r.IntN(3) {
		x := record.Interval{From: at + r.Int64N(4)}
		x.To = x.From + r.Int64N(3)
		h.Extended = append(h.Extended, x)
		at = x.To
	}
	if h.Answer != linear.NoRelease {
		h.Released = max(h.Released, at)
		h.Replied = max(h.Replied, h.Released)
	}
}

// mayEnd says, from what the answers mean, whether a hold that begins at a can end at e. It tries
// all instants of its extensions, each of which comes while the lease runs.
func mayEnd(h *linear.LeaseHold, a, e int64) bool {
	if len(h.Extended) > 0 {
		x, rest := h.Extended[0], *h
		rest.Extended = h.Extended[1:]
		for at := max(a, x.From); at <= min(x.To, a+h.TTL); at++ {
			if mayEnd(&rest, at, e) {
				return true
			}
		}
		return false
	}
	ranOut := e == a+h.TTL
	switch h.Answer {
	case linear.ReleaseOK:
		return h.Released <= e && e <= min(h.Replied, a+h.TTL)
	case linear.ReleaseRefused:
		return ranOut && e <= h.Replied
	case linear.ReleaseUnknown:
		return ranOut || e >= h.Released && e <= a+h.TTL
	}
	return ranOut
}

// TestReentrantAgainstPorcupine compares the reduction to outermost holds with the re-entrant model
// on the whole history.
func TestReentrantAgainstPorcupine(t *testing.T) {
	legal := 0
	n := lineartest.Rounds(3000, 100_000)
	for seed := range n {
		ops := nested(rand.New(rand.NewPCG(uint64(seed), 13)))
		outer, bad, known := linear.Outermost(ops)
		if !known {
			t.Fatal("all outcomes are known")
		}
		f, _, _ := linear.FastMutex(outer)
		want := porcupine.CheckOperations(linear.ReentrantModel(), linear.Operations(ops))
		if got := bad < 0 && f == linear.NoFlaw; got != want {
			t.Fatalf("seed %d: reduced %v, porcupine %v\n%s", seed, got, want, list(ops))
		}
		if want {
			legal++
		}
	}
	t.Logf("%d histories, %d legal", n, legal)
}

// nested makes the operations of sequential processes that acquire again and again.
func nested(r *rand.Rand) []linear.Op {
	var ops []linear.Op
	token := int32(0)
	for p := range 1 + r.IntN(3) {
		now, held := r.Int64N(30), []int32{}
		for range 1 + r.IntN(5) {
			o := linear.Op{Call: now + r.Int64N(4), Process: int32(p)}
			o.Ret = o.Call + r.Int64N(5)
			now = o.Ret + 1
			if len(held) > 0 && r.IntN(2) == 0 || r.IntN(12) == 0 {
				o.Kind = linear.Release
				if len(held) > 0 {
					o.Token, held = held[len(held)-1], held[:len(held)-1]
				} else {
					token++
					o.Token = token
				}
			} else {
				token++
				o.Token = token
				held = append(held, token)
			}
			if r.IntN(15) == 0 {
				o.Outcome = linear.Refused
			}
			ops = append(ops, o)
		}
	}
	slices.SortStableFunc(ops, func(a, b linear.Op) int { return int(a.Ret - b.Ret) })
	return ops
}
