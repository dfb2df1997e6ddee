package checker

import (
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/nemesis"
)

// classify says what kind of thing a violation is, and which assumption of the lock a fault broke.
// The order matters: an overlap that the end of a lease explains is an overrun whatever else went
// on; then what the commands show; then the faults.
func (c *check) classify(p *pair, commands []WitnessCommand) (class, assumption string) {
	leased := p.a.LeaseAt(p.b.From)
	switch {
	case p.a.From >= p.a.Leases[0].To || p.b.From >= p.b.Leases[0].To:
		// a grant was believed although its lease was over before the reply was read
		return LateMessage, ""
	case leased <= p.b.From:
		return LeaseOverrun, ""
	case has(commands, verdict.ForeignDelete, verdict.PossibleDelete):
		return ReleasedByNonOwner, ""
	case has(commands, verdict.LateDelete):
		return LateMessage, ""
	}
	return classOf(c.culprit(p))
}

// classOf is the class of a lock that was granted twice because an assumption was broken.
func classOf(broken nemesis.Assumption) (class, assumption string) {
	switch broken {
	case nemesis.Durability:
		return LostByFailover, broken.String()
	case nemesis.ServerClocks, nemesis.ClientClocks:
		return Clock, broken.String()
	}
	return DoubleGrant, ""
}

// culprit returns the gravest kind of fault between the grants of a pair, or before the first one
// if its effect lasts.
func (c *check) culprit(p *pair) nemesis.Assumption {
	worst := nemesis.Nothing
	for _, f := range c.faults {
		if f.From < p.b.From && (f.To > p.a.Call || f.MovesClock()) {
			worst = max(worst, f.Breaks())
		}
	}
	return worst
}
