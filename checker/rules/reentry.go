package rules

import (
	"maps"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// reentry judges a re-entrant lock: it is held until as many releases as acquires, so its holder is
// not refused, and it is not free after the release of an inner acquisition. It is certain only
// while the hold is sure and its lease runs: not after a loss or a moved clock, and not after an
// inner release of unknown outcome, which leaves open how many acquisitions the server counts.
func (c exclusionRule) reentry() property {
	reentrant := c.history.Header.Declares.Reentrant
	switch {
	case !reentrant:
		return notApplicable("the lock is not re-entrant")
	case len(c.Record.Inner) == 0 && len(c.Record.SelfRefused) == 0:
		return notApplicable("no client acquired a lock that it held already")
	}
	for _, s := range c.Record.SelfRefused {
		h := &c.Record.Holds[s.Hold]
		if c.keptFor(h, s) {
			p := violated(h.Key, wholeHold(h))
			p.Explanation = explain.SelfRefused(h, s)
			return p
		}
	}
	p := valid
	all := c.Record.Spans(record.WhileLeased, c.trust.Cut)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		for a, b := range record.Overlaps(all[key]) {
			p = verdict.Worse(p, c.freedInside(key, a, b))
			if p.Verdict == verdict.Violated {
				return p
			}
		}
	}
	return p
}

// keptFor reports whether the server certainly had the lock for a holder all the time while it was
// refused.
func (c exclusionRule) keptFor(h *record.Hold, s record.SelfRefusal) bool {
	leased := slices.ContainsFunc(h.Leases, func(l record.Lease) bool {
		return l.From <= s.From && s.To < l.To
	})
	inside := s.To < min(h.End, h.Lost, h.Valid, c.trust.Cut)
	return leased && inside && c.counted(h, s.To) && !c.othersMayHold(h, s.To)
}

// counted reports whether the server is certain to know at t how often a hold was acquired.
func (c exclusionRule) counted(h *record.Hold, t int64) bool {
	return (h.InnerUnsure == 0 || h.InnerUnsure >= t) &&
		!slices.ContainsFunc(c.faults, func(f record.Fault) bool {
			return f.Unbearable() && f.From < t && (f.To > h.Call || f.MovesClock()) &&
				c.concerns(&f, h, t)
		})
}

// othersMayHold reports whether another client may have been granted the lock of a hold before t.
func (c exclusionRule) othersMayHold(h *record.Hold, t int64) bool {
	calls := c.mayTake.get(h.Key, func(key int) record.Reach {
		var ts []record.Interval
		for _, k := range c.waits().lock(key).Calls {
			if k.Outcome != history.Fail {
				ts = append(ts, record.Interval{From: k.From, To: k.To, Process: k.Process})
			}
		}
		return record.NewReach(ts)
	})
	return calls.MeetsOther(h.From+1, t-1, h.Process)
}

// freedInside returns the violation by two holds if an inner acquisition made the first one appear
// left. It returns valid if the overlap has another cause.
func (c exclusionRule) freedInside(key int, a, b record.Span) property {
	h := &c.Record.Holds[a.Hold]
	released := c.keyFacts().innerRelease(h, b.From)
	if released == 0 || !c.counted(h, b.From) || c.keyFacts().shownSince(h, b.From, c.askedAt(b)) {
		return valid
	}
	p := c.overlap(record.WhileLeased, key, []record.Span{a, b})
	if p.Verdict != verdict.Violated {
		return p
	}
	if deletes(p.Witness.Commands) {
		return valid // another client's deletion has freed it, or a late one, or an old one
	}
	p.Explanation = explain.InnerRelease(h, released) + p.Explanation
	return p
}

// askedAt returns when the command was sent that granted a hold, or if it is unknown, when the call
// was made.
func (c exclusionRule) askedAt(s record.Span) int64 {
	h := &c.Record.Holds[s.Hold]
	if m := c.trace.GrantOf(h); m != nil {
		return m.Sent
	}
	return s.From
}
