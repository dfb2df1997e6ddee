package checker

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
)

// TestLeaseAgainstBruteForce compares the lease model with all orders of the holds, and the fast
// check where it is exact.
func TestLeaseAgainstBruteForce(t *testing.T) {
	legal, exact := 0, 0
	n := rounds(4000, 300_000)
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
	}
	slices.SortFunc(hs, func(a, b linear.LeaseHold) int { return int(a.Ret - b.Ret) })
	return hs
}

// TestLeaseAgainstInstants compares the lease model with all instants at which holds may begin and
// end, one by one.
func TestLeaseAgainstInstants(t *testing.T) {
	legal := 0
	n := rounds(1500, 20_000)
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
		}
		slices.SortFunc(hs, func(a, b linear.LeaseHold) int { return int(a.Ret - b.Ret) })
		want := anyInstants(hs, nil)
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
		for e := a; e <= a+h.TTL; e++ {
			free := !slices.ContainsFunc(taken, func(x [2]int64) bool { return e > x[0] && x[1] > a })
			if free && mayEnd(&h, a, e) && anyInstants(hs[1:], append(slices.Clone(taken), [2]int64{a, e})) {
				return true
			}
		}
	}
	return false
}

// mayEnd says, from what the answers mean, whether a hold that begins at a can end at e.
func mayEnd(h *linear.LeaseHold, a, e int64) bool {
	ranOut := e == a+h.TTL
	switch h.Answer {
	case linear.ReleaseOK:
		return h.Released <= e && e <= h.Replied
	case linear.ReleaseRefused:
		return ranOut && e <= h.Replied
	case linear.ReleaseUnknown:
		return ranOut || e >= h.Released
	}
	return ranOut
}

// TestReentrantAgainstPorcupine compares the reduction to outermost holds with the re-entrant model
// on the whole history.
func TestReentrantAgainstPorcupine(t *testing.T) {
	legal := 0
	n := rounds(3000, 100_000)
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

// TestFencingAgainstPorcupine compares the order of tokens with a model in which each grant needs a
// larger token than the one before.
func TestFencingAgainstPorcupine(t *testing.T) {
	model := porcupine.Model{
		Init: func() any { return int64(0) },
		Step: func(s, in, _ any) (bool, any) { return in.(int64) > s.(int64), in },
	}
	legal := 0
	n := rounds(4000, 100_000)
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 17))
		var holds []*record.Hold
		var ops []porcupine.Operation
		for i := range 1 + r.IntN(7) {
			h := &record.Hold{Process: i, Call: r.Int64N(30), Token: 1 + r.Int64N(12)}
			h.From = h.Call + r.Int64N(8)
			holds = append(holds, h)
			ops = append(ops, porcupine.Operation{ClientId: i, Input: h.Token, Call: h.Call, Return: h.From})
		}
		a, b := outOfOrder(holds)
		if want := porcupine.CheckOperations(model, ops); want != (a == nil) {
			t.Fatalf("seed %d: fast %v, porcupine %v", seed, a == nil, want)
		} else if want {
			legal++
		} else if two := []porcupine.Operation{ops[a.Process], ops[b.Process]}; porcupine.CheckOperations(
			model, two) {
			t.Fatalf("seed %d: the witness is no violation by itself", seed)
		}
	}
	t.Logf("%d histories, %d legal", n, legal)
}

// TestUpdatesAgainstTheResource lets sections read and write a resource in a random order of single
// accesses: U must be violated only if some section wrote upon a value that was not the latest any
// more, and must be if all know their outcome and the values never return.
func TestUpdatesAgainstTheResource(t *testing.T) {
	lostOnes := 0
	n := rounds(3000, 100_000)
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 19))
		h, lost, unknown := counter(r)
		v := Check(h, nil, Options{Properties: []string{"U"}})
		got := v.Properties[0].Verdict == Violated
		if got && !lost || !got && lost && !unknown {
			t.Fatalf("seed %d: U %s, in truth lost: %v (unknown outcomes: %v)\n%+v", seed,
				v.Properties[0].Verdict, lost, unknown, h.Events)
		}
		if lost {
			lostOnes++
		}
	}
	t.Logf("%d histories, an update lost in %d", n, lostOnes)
}

// counter runs clients that read a counter and write one more, sometimes without excluding each
// other.
func counter(r *rand.Rand) (h *history.History, lost, unknown bool) {
	h = &history.History{Header: history.Header{Environment: "test"}}
	now, value := int64(0), r.Int64N(3)
	read := make([]int64, 3)
	busy := make([]bool, 3)
	n := make([]int, 3)
	tick := func() int64 { now += r.Int64N(2); return now }
	add := func(p int, f string, v int64, result history.Type, act func()) {
		h.Events = append(h.Events, history.Event{Type: history.Invoke, T: tick(), Process: p, F: f,
			N: n[p], Value: history.Ptr(v)})
		tick()
		act()
		h.Events = append(h.Events, history.Event{Type: result, T: tick(), Process: p, F: f, N: n[p],
			Value: history.Ptr(v)})
	}
	careful := r.IntN(2) == 0
	for range 4 + r.IntN(16) {
		p := r.IntN(3)
		if careful && !busy[p] && slices.Contains(busy, true) {
			continue
		}
		if !busy[p] {
			n[p]++
			add(p, history.ReadOp, value, history.OK, func() { read[p] = value })
			busy[p] = true
			continue
		}
		busy[p] = false
		result, happens := history.OK, true
		if r.IntN(6) == 0 {
			result, happens, unknown = history.Info, r.IntN(2) == 0, true
		}
		add(p, history.WriteOp, read[p]+1, result, func() {
			if happens {
				lost = lost || value != read[p]
				value = read[p] + 1
			}
		})
	}
	h.Events = append(h.Events, history.Event{Type: history.End, T: now + 1, Process: history.Harness})
	return h, lost, unknown
}
