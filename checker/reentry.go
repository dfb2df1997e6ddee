package checker

import (
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"maps"
	"slices"
)

// reentry judges a re-entrant lock: its holder must not be refused, and it is free only after as
// many releases as acquires. The second is mutual exclusion while leased of holds that are counted
// as one, so a violation of it counts here if an inner release lies before it.
func (c *check) reentry() Property {
	switch {
	case !c.history.Header.Declares.Reentrant:
		return Property{Verdict: NA, Reason: explain.Say("the lock is not re-entrant")}
	case len(c.record.Inner) == 0 && len(c.record.SelfRefused) == 0:
		return Property{
			Verdict: NA, Reason: explain.Say("no client acquired a lock that it held already")}
	}
	for _, s := range c.record.SelfRefused {
		h := &c.record.Holds[s.Hold]
		if s.To < h.LeaseEnd() && s.To < min(h.End, h.Lost, h.Valid, c.trust.Cut) {
			p := Property{Verdict: Violated, Witness: &Witness{Key: h.Key, Holds: []Hold{
				witnessHold(h, record.Span{From: h.From, End: h.End})}}}
			p.Explanation = explain.Say(
				"Client %d held lock %d since %s; when it acquired it again at %s, it was refused, although "+
					"its lease was valid until %s.",
				h.Process, h.Key, at(h.From), at(s.From), until(h.LeaseEnd()))
			return p
		}
	}
	all := c.record.Spans(record.WhileLeased, c.trust.Cut)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		ss := all[key]
		var found *Property
		record.Overlaps(ss, func(a, b record.Span) bool {
			h := &c.record.Holds[a.Hold]
			if h.InnerReleased == 0 || h.InnerReleased >= b.From {
				return true
			}
			p := c.explain(record.WhileLeased, h.Key, ss)
			p.Explanation = explain.Say(
				"Client %d released an inner hold at %s, which must not free the lock. ",
				h.Process, at(h.InnerReleased)) + p.Explanation
			found = &p
			return false
		})
		if found != nil {
			return *found
		}
	}
	return Property{Verdict: Valid}
}
