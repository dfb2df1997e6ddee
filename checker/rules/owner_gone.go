package rules

import (
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
)

// takenByThirdParty returns a hold whose key was free for another client although its lease ran and
// no fault removed it, if programs other than the run's clients may delete keys. Otherwise it
// returns nil.
func takenByThirdParty(c *Case, ss []record.Span, g *trace.Grants) *record.Hold {
	for a, b := range record.Overlaps(ss) {
		h, ga, gb := &c.Record.Holds[a.Hold], g.ByHold[a.Hold], g.ByHold[b.Hold]
		free := ga != nil && gb != nil && ga.Recv < gb.Sent && !c.keyFacts().freedInside(h, gb) &&
			ga.Node == gb.Node && c.trace.TakesFree(gb) && !c.keyMayBeLost(ga.Sent, gb.Recv) &&
			c.keyFacts().keyLeaseOf(h, ga, gb.Recv).end > gb.Recv &&
			c.keyFacts().thirdParties(ga.Sent, gb.Recv)
		if free {
			return h
		}
	}
	return nil
}
