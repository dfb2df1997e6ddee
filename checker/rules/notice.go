package rules

import (
	"maps"
	"slices"
	"sort"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// notice judges that a holder learns that its hold is over before another client is inside. It
// looks at holds that break mutual exclusion, and of the two clients at the one that has lost its
// hold. A killed holder cannot learn anything. The lock can tell its client by a callback, by
// refusing an extension or a release, or in advance, by the validity of the grant.
func (c exclusionRule) notice() property {
	if !c.history.Header.Declares.Lease && c.history.Header.Environment == "" {
		return notApplicable("an imported history does not say what a client was told")
	}
	judged, excuse, asleep := false, "", ""
	all := c.Record.Spans(record.UntilRelease, c.trust.Cut)
	extends := c.refusedExtends()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		for a, b := range record.Overlaps(all[key]) {
			p := c.Record.Pair(record.UntilRelease, key, a, b)
			loser, winner := c.loser(p)
			if loser.Ended == record.Killed || loser.Ended == record.Vanished ||
				c.quorums().neverGranted(winner) {
				continue
			}
			if s := c.trust.StallIn(min(p.A.Call, loser.Call), p.From); s != nil {
				excuse = explain.Stall(*s) // it may have been told too late
				continue
			}
			if why := c.excuse(p); why != "" {
				excuse = why
				continue
			}
			t, by := firstNotice(loser, extends)
			if by == explain.ByValidity && c.suspended(loser, p.From) {
				asleep = explain.Suspended(loser.Process)
				continue
			}
			judged = true
			if t > p.From {
				return c.toldLate(p, loser, winner, t, by)
			}
		}
	}
	switch {
	case judged:
		return valid
	case excuse != "":
		return stalled("two clients were inside at once, but %s", excuse)
	case asleep != "":
		return unknown("two clients were inside at once, but %s", asleep)
	}
	return notApplicable("no holder that lived was inside together with another client")
}

// suspended reports whether the machine of a holder was suspended before t. If the holder reads the
// end of its validity on a monotonic clock, it learns of it later.
func (c exclusionRule) suspended(h *record.Hold, t int64) bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Action == nemesis.Suspend && f.Hits(h.Process) && h.From <= f.From && f.From < t
	})
}

// refusedExtends returns when extensions were refused, by process, in order.
func (c exclusionRule) refusedExtends() map[int][]*history.Event {
	out := map[int][]*history.Event{}
	for i := range c.history.Events {
		if e := &c.history.Events[i]; e.F == history.ExtendOp && e.Type == history.Fail {
			out[e.Process] = append(out[e.Process], e)
		}
	}
	return out
}

// firstNotice returns when and by what means a holder first learned that its hold is over, or
// Forever if it never did.
func firstNotice(h *record.Hold, extends map[int][]*history.Event) (at int64, by explain.Teller) {
	at, by = h.Lost, explain.ByCallback
	first := func(t int64, what explain.Teller) {
		if t < at {
			at, by = t, what
		}
	}
	first(h.Valid, explain.ByValidity)
	es := extends[h.Process]
	since := sort.Search(len(es), func(i int) bool { return es[i].T >= h.From })
	for _, e := range es[since:] {
		if e.T > max(h.End, h.From) {
			break
		}
		if slices.Contains(record.KeysOf(e), h.Key) {
			first(e.T, explain.ByExtend)
			break
		}
	}
	if h.Answer == history.Fail {
		first(h.Returned, explain.ByRelease)
	}
	return at, by
}

// loser returns the client of a pair whose hold was over when both were inside, and the other one.
// A client has lost its hold if it comes in late by a grant whose lease or session has ended. So
// has one that was granted the lock first although it came in second.
func (c exclusionRule) loser(p *record.Pair) (loser, winner *record.Hold) {
	ended := func(h *record.Hold) bool { return h.LeaseAt(p.From) <= p.From }
	switch {
	case ended(p.B) && !ended(p.A), c.classifier().onlyLaterEnded(p):
		return p.B, p.A
	case !ended(p.A) && grantedBefore(c.Case, p.B, p.A):
		return p.B, p.A
	}
	return p.A, p.B
}

// toldLate returns the violation by a holder that learned at t that its hold was over, when the
// other client was inside.
func (c exclusionRule) toldLate(p *record.Pair, loser, winner *record.Hold, t int64,
	by explain.Teller) property {
	spanOf := map[*record.Hold]record.Span{p.A: p.SpanA, p.B: p.SpanB}
	out := violated(p.Key, part(loser, spanOf[loser], p.From), part(winner, spanOf[winner], p.From))
	out.Explanation = explain.ToldLate(loser, winner, t, by, c.Record.End)
	return out
}
