package rules

import (
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
)

// blameCount gives a violation its cause if the lock certainly counted the validity of the grant
// from before an earlier try that was refused. The commands that granted must have been sent when
// the validity was over, and the refusal must have come in the second half of the lease that ended
// then. A lock counts from the beginning of that lease, but for a drift that is less than half.
func (c deliveryRule) blameCount(p *property, h *record.Hold, b ballot) {
	first := int64(record.Forever)
	for _, m := range b.took {
		first = min(first, m.Sent)
	}
	if len(b.took) < c.quorum() || first <= h.Promised || h.Granted == 0 {
		return
	}
	for _, m := range c.trace.Tries(h) {
		if c.trace.Refused(m) && m.Recv > h.Promised-h.Granted/2 && m.Recv < first {
			p.Cause = explain.CountedEarly(first, m.Recv)
			return
		}
	}
}
