package checker

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
)

// leaseHold is one grant of a lock whose server keeps leases exactly: it begins at an instant of
// the acquire call and ends with the release or after ttl, whatever comes first.
type leaseHold struct {
	// the acquire; for an unknown one that was released with success, ret is the release's
	call, ret         int64
	ttl               int64
	answer            answer
	released, replied int64 // the release; forever if there is none
	name              name
}

// answer is how a release went.
type answer uint8

const (
	noRelease answer = iota
	releaseOK
	releaseRefused
	releaseUnknown
)

// place puts a hold at the earliest instant from t on and returns its end, or false if it fits
// nowhere. The earliest instant is always the best: the end never comes earlier by beginning later,
// and nothing else depends on it.
func (h *leaseHold) place(t int64) (end int64, ok bool) {
	a := max(h.call, t)
	if h.answer == releaseOK {
		a = max(a, h.released-h.ttl) // it was released while its lease ran
	}
	if a > h.ret {
		return 0, false
	}
	switch h.answer {
	case releaseOK:
		return max(h.released, a), true // not after replied, because ret is not
	case releaseUnknown:
		return min(max(h.released, a), a+h.ttl), true
	case releaseRefused: // it had run out before the refusal
		return a + h.ttl, a+h.ttl <= h.replied
	}
	return a + h.ttl, true
}

// fastLease decides the lease model where it can without search: if every acquire call is shorter
// than every lease, the order of the grants is forced to be that of the returns of the calls (two
// grants are a lease or a release apart), and placing each as early as possible is exact. exact is
// false where the calls are longer. bad is the first hold that does not fit, -1: none; first is
// where the chain of holds that push it begins.
func fastLease(hs []leaseHold) (bad, first int, exact bool) {
	t := int64(math.MinInt64)
	first = 0
	for i := range hs {
		if hs[i].call >= t {
			first = i
		}
		end, ok := hs[i].place(t)
		if !ok {
			if i == first {
				first = max(0, i-1)
			}
			return i, first, narrow(hs)
		}
		t = end
	}
	return -1, 0, narrow(hs)
}

func narrow(hs []leaseHold) bool {
	shortest := int64(math.MaxInt64)
	for _, h := range hs {
		shortest = min(shortest, h.ttl)
	}
	return !slices.ContainsFunc(hs, func(h leaseHold) bool { return h.ret-h.call >= shortest })
}

// leaseModel is the lease model for porcupine: each operation is a whole hold, and the state is the
// instant from which the lock is free.
func leaseModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return int64(math.MinInt64) },
		Step: func(state, input, _ any) (bool, any) {
			end, ok := input.(*leaseHold).place(state.(int64))
			return ok, end
		},
		DescribeOperation: func(input, _ any) string { return input.(*leaseHold).name.String() },
	}
}

// idle cuts holds, sorted by return, where all before are surely over before any later one was
// asked for: each piece is possible by itself if and only if the whole is.
func idle(hs []leaseHold) [][]leaseHold {
	var out [][]leaseHold
	earliest := make([]int64, len(hs)+1)
	earliest[len(hs)] = record.Forever
	for i := len(hs) - 1; i >= 0; i-- {
		earliest[i] = min(earliest[i+1], hs[i].call)
	}
	from, over := 0, int64(math.MinInt64)
	for i := range hs {
		over = max(over, saturated(hs[i].ret, hs[i].ttl))
		if over <= earliest[i+1] {
			out = append(out, hs[from:i+1])
			from = i + 1
		}
	}
	return out
}

func saturated(a, b int64) int64 {
	if a > record.Forever-b {
		return record.Forever
	}
	return a + b
}

func leaseOperations(hs []leaseHold) []porcupine.Operation {
	out := make([]porcupine.Operation, len(hs))
	for i := range hs {
		out[i] = porcupine.Operation{ClientId: hs[i].name.process, Input: &hs[i], Call: hs[i].call,
			Return: hs[i].ret}
	}
	return out
}

// unfit is why a history cannot be judged by the lease model.
type unfit uint8

const (
	fits unfit = iota
	hasExtensions
	releasedUnacquired // with success, by a client that had not acquired it
	unknownLeases
	noGrants
)

// leaseHolds collects the grants of each key. why says why they cannot be judged. Acquires with an
// unknown outcome count only if their release succeeded: without them the lock is free more often,
// which harms nobody.
func leaseHolds(h *history.History, ttl time.Duration) (all map[int][]leaseHold, why unfit) {
	for i := range h.Events {
		if e := &h.Events[i]; e.Type == history.Extend || e.F == history.ExtendOp {
			return nil, hasExtensions
		}
	}
	leases := grantedLeases(h)
	all = map[int][]leaseHold{}
	for key, l := range mutexOps(h) {
		for t, tok := range tokens(l.ops) {
			if tok.needless() || tok.acquire < 0 {
				if tok.released {
					return nil,
						releasedUnacquired
				}
				continue
			}
			h := l.leaseHold(int32(t), tok)
			g := leases[h.name]
			h.ttl = int64(cmp.Or(g.Lease.D(), ttl))
			if g.Sent <= h.ret {
				h.call = max(h.call, g.Sent) // it cannot have been granted before it was asked for
			}
			if h.ttl <= 0 {
				return nil, unknownLeases
			}
			all[key] = append(all[key], h)
		}
		slices.SortStableFunc(all[key], func(a, b leaseHold) int {
			return cmp.Or(cmp.Compare(a.ret, b.ret), cmp.Compare(a.released, b.released))
		})
	}
	if len(all) == 0 {
		return nil, noGrants
	}
	return all, fits
}

func grantedLeases(h *history.History) map[name]history.Grant {
	out := map[name]history.Grant{}
	for i := range h.Events {
		if e := &h.Events[i]; e.Grant != nil && e.Type == history.OK && e.F == history.Acquire {
			out[name{e.Process, e.N}] = *e.Grant
		}
	}
	return out
}

// leaseHold makes a hold of a token: of its releases the successful one counts, then the first
// unknown one, then a refused one.
func (l *mutexLog) leaseHold(t int32, tok token) leaseHold {
	a := &l.ops[tok.acquire]
	h := leaseHold{call: a.call, ret: a.ret, released: record.Forever, replied: record.Forever,
		name: l.names[t]}
	if tok.release >= 0 {
		r := &l.ops[tok.release]
		h.released, h.replied, h.answer = r.call, r.ret, releaseUnknown
		if tok.released {
			h.answer = releaseOK
			h.ret = min(h.ret, r.ret)
		}
		return h
	}
	if tok.firstRefused >= 0 {
		o := &l.ops[tok.firstRefused]
		h.released, h.replied, h.answer = o.call, o.ret, releaseRefused
	}
	return h
}

// ruleLeases lets porcupine decide on holds, sorted by return, piece by piece.
func ruleLeases(hs []leaseHold, timeout time.Duration) ruling {
	r := ruling{result: porcupine.Ok, operations: len(hs)}
	start := time.Now()
	for _, piece := range idle(hs) {
		r.slices++
		one := ruleWhole(leaseModel(), leaseOperations(piece), remaining(timeout, start))
		if r.result = one.result; r.result != porcupine.Ok {
			break
		}
	}
	r.took = time.Since(start)
	return r
}
