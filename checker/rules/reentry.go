package rules

import (
	"maps"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
)

// reentry judges a re-entrant lock: its holder must not be refused, and it is free only after as
// many releases as acquires. The second is mutual exclusion while leased of holds that are counted
// as one, so a violation of it counts here if an inner release lies before it.
func (c *Case) reentry() property {
	switch {
	case !c.history.Header.Declares.Reentrant:
		return notApplicable("the lock is not re-entrant")
	case len(c.Record.Inner) == 0 && len(c.Record.SelfRefused) == 0:
		return notApplicable("no client acquired a lock that it held already")
	}
	for _, s := range c.Record.SelfRefused {
		h := &c.Record.Holds[s.Hold]
		if s.To < h.LeaseEnd() && s.To < min(h.End, h.Lost, h.Valid, c.trust.Cut) {
			p := violated(h.Key, whole(h))
			p.Explanation = explain.SelfRefused(h, s)
			return p
		}
	}
	all := c.Record.Spans(record.WhileLeased, c.trust.Cut)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		ss := all[key]
		var found *property
		record.Overlaps(ss, func(a, b record.Span) bool {
			h := &c.Record.Holds[a.Hold]
			if h.InnerReleased == 0 || h.InnerReleased >= b.From {
				return true
			}
			p := c.overlap(record.WhileLeased, h.Key, ss)
			p.Explanation = explain.InnerRelease(h) + p.Explanation
			found = &p
			return false
		})
		if found != nil {
			return *found
		}
	}
	return valid
}
