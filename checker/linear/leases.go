package linear

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// LeaseHold is one grant of a lock whose server keeps leases exactly. It begins at an instant of
// the acquire call and ends with the release or after TTL, whichever comes first.
type LeaseHold struct {
	// the acquire; for an unknown one that was released with success, ret is the release's
	Call, Ret         int64
	TTL               int64
	Answer            Answer
	Released, Replied int64             // the release; forever if there is none
	Extended          []record.Interval // the calls that extended it by TTL, in their order
	Name              Name
}

// Answer is how a release went.
type Answer uint8

// The answers of a release.
const (
	NoRelease Answer = iota
	ReleaseOK
	ReleaseRefused
	ReleaseUnknown
)

// Place puts a hold at the earliest instant from t on and returns its end, or false if the hold
// does not fit. The earliest instant is always the best: a later start never makes the end come
// earlier, and nothing else depends on the start.
func (h *LeaseHold) Place(t int64) (end int64, ok bool) {
	a := max(h.Call, t)
	if h.Answer == ReleaseOK && len(h.Extended) == 0 {
		a = max(a, h.Released-h.TTL) // it was released while its lease ran
	}
	if a > h.Ret {
		return 0, false
	}
	for _, e := range h.Extended {
		if a = max(a, e.From); a > e.To {
			return 0, false
		}
	}
	switch h.Answer {
	case ReleaseOK:
		return max(h.Released, a), true // not after replied, because ret is not
	case ReleaseUnknown:
		return min(max(h.Released, a), a+h.TTL), true
	case ReleaseRefused: // it had run out before the refusal
		return a + h.TTL, a+h.TTL <= h.Replied
	}
	return a + h.TTL, true
}

// Extend notes the calls that extended a hold. Each of them, and a release that succeeded, came
// while the lease of the one before ran, so that none can have been earlier than a lease before the
// next one.
func (h *LeaseHold) Extend(calls []record.Interval) {
	next := int64(math.MinInt64 / 2)
	if h.Answer == ReleaseOK {
		next = h.Released
	}
	for i := len(calls) - 1; i >= 0; i-- {
		next = max(calls[i].From, next-h.TTL)
		calls[i].From = next
	}
	h.Call, h.Extended = max(h.Call, next-h.TTL), calls
}

// FastLease decides the lease model without a search if it can. It can if every acquire call is
// shorter than every lease and returned before its release was called. Then the grants have the
// order of the returns of the calls (two grants are a lease or a release apart), and it is exact to
// place each as early as possible. Exact is false otherwise: if calls are longer, or if an
// unanswered acquire may have been granted after the call of its release. Bad is the first hold
// that does not fit, or -1. First is the start of the chain of holds that push it.
func FastLease(hs []LeaseHold) (bad, first int, exact bool) {
	t := int64(math.MinInt64)
	first = 0
	for i := range hs {
		if hs[i].Call >= t {
			first = i
		}
		end, ok := hs[i].Place(t)
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

func narrow(hs []LeaseHold) bool {
	shortest := int64(math.MaxInt64)
	for _, h := range hs {
		shortest = min(shortest, h.TTL)
	}
	return !slices.ContainsFunc(hs, func(h LeaseHold) bool {
		return h.Ret-h.Call >= shortest || h.Ret >= h.Released
	})
}

// LeaseModel returns the lease model for porcupine. Each operation is a whole hold. The state is
// the instant at which the lock becomes free.
func LeaseModel() porcupine.Model {
	step := func(free int64, h *LeaseHold) (bool, int64) {
		end, ok := h.Place(free)
		return ok, end
	}
	return modelOf(int64(math.MinInt64), step, func(h *LeaseHold) string { return h.Name.String() })
}

// Idle cuts holds, sorted by return, at each point when all earlier ones are surely over before any
// later one was requested. Each piece is possible alone if and only if the whole is.
func Idle(hs []LeaseHold) [][]LeaseHold {
	var out [][]LeaseHold
	earliest := make([]int64, len(hs)+1)
	earliest[len(hs)] = record.Forever
	for i := len(hs) - 1; i >= 0; i-- {
		earliest[i] = min(earliest[i+1], hs[i].Call)
	}
	from, over := 0, int64(math.MinInt64)
	for i := range hs {
		last := hs[i].Ret
		for _, e := range hs[i].Extended {
			last = e.To
		}
		over = max(over, saturated(last, hs[i].TTL))
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

// LeaseOperations turns holds into operations for porcupine.
func LeaseOperations(hs []LeaseHold) []porcupine.Operation {
	out := make([]porcupine.Operation, len(hs))
	for i := range hs {
		out[i] = porcupine.Operation{ClientId: hs[i].Name.Process, Input: &hs[i], Call: hs[i].Call,
			Return: hs[i].Ret}
	}
	return out
}

// Unfit is why a history cannot be judged by the lease model.
type Unfit uint8

// What the lease model cannot judge.
const (
	Fits               Unfit = iota
	StrayExtensions          // without a known hold, or of unknown outcome
	ReleasedUnacquired       // with success, by a client that had not acquired it
	UnknownLeases
	NoGrants
)

// LeaseHolds collects the grants of each key. why says why they cannot be judged. Acquires with an
// unknown outcome count only if their release succeeded: without them the lock is free more often,
// which refuses no history.
func LeaseHolds(h *history.History, ttl time.Duration) (all map[int][]LeaseHold, why Unfit) {
	extended, ok := extensions(h)
	if !ok {
		return nil, StrayExtensions
	}
	leases := grantedLeases(h)
	all = map[int][]LeaseHold{}
	for key, l := range Logs(h) {
		for t, tok := range Tokens(l.Ops) {
			if tok.needless() || tok.acquire < 0 {
				if tok.released {
					return nil, ReleasedUnacquired
				}
				continue
			}
			h := l.leaseHold(int32(t), tok)
			g := leases[h.Name]
			h.TTL = int64(cmp.Or(g.Lease.D(), ttl))
			if g.Sent <= h.Ret {
				h.Call = max(h.Call, g.Sent) // it cannot have been granted before it was asked for
			}
			if h.TTL <= 0 {
				return nil, UnknownLeases
			}
			h.Extend(extended[h.Name])
			all[key] = append(all[key], h)
		}
		slices.SortStableFunc(all[key], func(a, b LeaseHold) int {
			return cmp.Or(cmp.Compare(a.Ret, b.Ret), cmp.Compare(a.Released, b.Released))
		})
	}
	if len(all) == 0 {
		return nil, NoGrants
	}
	return all, Fits
}

// extensions returns the calls that extended each hold, or false if it is not known which hold one
// of them extended, or whether it did.
func extensions(h *history.History) (map[Name][]record.Interval, bool) {
	out, open, granted := map[Name][]record.Interval{}, map[int]int64{}, map[Name]bool{}
	for i := range h.Events {
		e := &h.Events[i]
		n := Name{e.Process, e.N}
		switch {
		case e.F == history.Acquire && e.Type == history.OK:
			granted[n] = true
		case e.Type == history.Extend:
			return nil, false
		case e.F != history.ExtendOp:
		case e.Type == history.Info, e.Type == history.OK && !granted[n]:
			return nil, false
		case e.Type == history.Invoke:
			open[e.Process] = e.T
		case e.Type == history.OK:
			out[n] = append(out[n], record.Interval{From: open[e.Process], To: e.T,
				Process: e.Process})
		}
	}
	return out, true
}

func grantedLeases(h *history.History) map[Name]history.Grant {
	out := map[Name]history.Grant{}
	for i := range h.Events {
		if e := &h.Events[i]; e.Grant != nil && e.Type == history.OK && e.F == history.Acquire {
			out[Name{e.Process, e.N}] = *e.Grant
		}
	}
	return out
}

// leaseHold makes a hold of a token: of its releases the successful one counts, then the first
// unknown one, then a refused one.
func (l *Log) leaseHold(t int32, tok Token) LeaseHold {
	a := &l.Ops[tok.acquire]
	h := LeaseHold{Call: a.Call, Ret: a.Ret, Released: record.Forever, Replied: record.Forever,
		Name: l.Names[t]}
	if tok.release >= 0 {
		r := &l.Ops[tok.release]
		h.Released, h.Replied, h.Answer = r.Call, r.Ret, ReleaseUnknown
		if tok.released {
			h.Answer = ReleaseOK
			h.Ret = min(h.Ret, r.Ret)
		}
		return h
	}
	if tok.firstRefused >= 0 {
		o := &l.Ops[tok.firstRefused]
		h.Released, h.Replied, h.Answer = o.Call, o.Ret, ReleaseRefused
	}
	return h
}

// Leases lets porcupine decide on holds, sorted by return, piece by piece.
func Leases(hs []LeaseHold, timeout time.Duration) Ruling {
	r := Ruling{Result: porcupine.Ok, Operations: len(hs)}
	start := time.Now()
	for _, piece := range Idle(hs) {
		r.Slices++
		one := ruleWhole(LeaseModel(), LeaseOperations(piece), remaining(timeout, start))
		if r.Result = one.Result; r.Result != porcupine.Ok {
			break
		}
	}
	r.Took = time.Since(start)
	return r
}
