package checker

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
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

// lease judges a history by itself as that of a server that keeps leases exactly.
func (c *check) lease() Property {
	all, why := c.leaseHolds()
	if why != "" {
		return Property{Reason: why}
	}
	p := Property{Verdict: Valid}
	for _, key := range sortedKeys(all) {
		p = verdict.Worse(p, c.leaseOf(key, all[key]))
	}
	return p
}

func (c *check) leaseOf(key int, hs []leaseHold) Property {
	bad, first, exact := fastLease(hs)
	r := ruling{result: porcupine.Ok, operations: len(hs)}
	start := time.Now()
	for _, piece := range idle(hs) {
		r.slices++
		one := ruleWhole(leaseModel(), leaseOperations(piece), remaining(c.options.Timeout, start))
		if r.result = one.result; r.result != porcupine.Ok {
			break
		}
	}
	r.took = time.Since(start)
	c.add(r)
	switch {
	case r.result == porcupine.Unknown:
		return c.unfinished()
	case exact && (bad >= 0) != (r.result == porcupine.Illegal):
		c.disagree(explain.Say("lock %d: the fast check of leases says %v; porcupine says %s", key,
			bad < 0, r.result))
		return Property{Reason: explain.Say("the two checks disagree")}
	case r.result == porcupine.Ok:
		return Property{Verdict: Valid}
	case bad < 0:
		return Property{Verdict: Violated,
			Explanation: explain.Say(
				"Lock %d: the grants fit no order in which each lease ends before the next grant.", key)}
	}
	return earlyGrant(key, hs[first:bad+1])
}

func earlyGrant(key int, chain []leaseHold) Property {
	p := Property{Verdict: Violated, Class: DoubleGrant, Witness: &Witness{Key: key}}
	for _, h := range chain {
		p.Witness.Holds = append(p.Witness.Holds, Hold{Process: h.name.process, N: h.name.n, From: h.ret,
			To: min(h.released, h.ret+h.ttl), LeaseEnd: h.ret + h.ttl})
	}
	last := chain[len(chain)-1]
	p.Explanation = explain.Say(
		"Lock %d: %s cannot have been granted by %s, because the %s before it, placed as early as possible, leaves no room.",
		key, last.name, at(last.ret), plural(len(chain)-1, "grant"))
	return p
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

// leaseHolds collects the grants of each key. why says why they cannot be judged. Acquires with an
// unknown outcome count only if their release succeeded: without them the lock is free more often,
// which harms nobody.
func (c *check) leaseHolds() (all map[int][]leaseHold, why string) {
	ttl := firstDuration(c.options.TTL, c.history.Header.TTL.D())
	for i := range c.history.Events {
		if e := &c.history.Events[i]; e.Type == history.Extend || e.F == history.ExtendOp {
			return nil, explain.Say("the lease model does not know extensions, and the history has some")
		}
	}
	leases := c.grantedLeases()
	all = map[int][]leaseHold{}
	for key, l := range mutexOps(c.history) {
		for t, tok := range tokens(l.ops) {
			if tok.needless() || tok.acquire < 0 {
				if tok.released {
					return nil,
						explain.Say("a lock was released with success by a client that had not acquired it")
				}
				continue
			}
			h := l.leaseHold(int32(t), tok)
			g := leases[h.name]
			h.ttl = int64(firstDuration(g.Lease.D(), ttl))
			if g.Sent <= h.ret {
				h.call = max(h.call, g.Sent) // it cannot have been granted before it was asked for
			}
			if h.ttl <= 0 {
				return nil, explain.Say("neither the history nor an option says how long a lease is")
			}
			all[key] = append(all[key], h)
		}
		slices.SortStableFunc(all[key], func(a, b leaseHold) int {
			return cmp.Or(cmp.Compare(a.ret, b.ret), cmp.Compare(a.released, b.released))
		})
	}
	if len(all) == 0 {
		return nil, explain.Say("no client acquired the lock")
	}
	return all, ""
}

func (c *check) grantedLeases() map[name]history.Grant {
	out := map[name]history.Grant{}
	for i := range c.history.Events {
		if e := &c.history.Events[i]; e.Grant != nil && e.Type == history.OK && e.F == history.Acquire {
			out[name{e.Process, e.N}] = *e.Grant
		}
	}
	return out
}

func firstDuration(ds ...time.Duration) time.Duration {
	for _, d := range ds {
		if d != 0 {
			return d
		}
	}
	return 0
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
