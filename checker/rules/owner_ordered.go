package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// deletedInOrder finds a deletion that hit the key of another client's hold in all possible orders
// of execution on the server. A concurrent command may have been told that the key was free, so
// that the deletion came first.
func (c ownerRule) deletedInOrder(ss []record.Span, g *trace.Grants) (p property, found bool) {
	for _, s := range ss {
		h, ga := &c.Record.Holds[s.Hold], g.ByHold[s.Hold]
		if ga == nil {
			continue
		}
		for _, m := range c.deletersAt(trace.PlaceOf(ga)).executedBetween(ga.Sent, s.End) {
			if m.Process != h.Process && m.Recv < s.End && c.trace.Deleted(m) &&
				m.Recv < c.keyFacts().keyLeaseOf(h, ga, s.End).end &&
				!c.hasOwn(m) && c.hitsInAllOrders(m, ga, h) {
				return c.foreign(m, h, verdict.ForeignDelete, verdict.ReleasedByNonOwner), true
			}
		}
	}
	return p, false
}

// hitsInAllOrders reports whether a deletion hit the value of a hold, in all orders. What its
// client wrote since the grant, like an inner acquisition, is its value, too.
func (c ownerRule) hitsInAllOrders(m, ga *history.Command, h *record.Hold) bool {
	orders := ordersOf(c.Case, ga, m)
	if orders == nil || len(orders.Hits[m]) == 0 {
		return false
	}
	for by := range orders.Hits[m] {
		if by == nil || by.Process != h.Process || by.Sent < ga.Sent {
			return false
		}
	}
	return true
}

// hasOwn reports whether the sender of a deletion had its own key on that server: it wrote one
// before whose lease may run, and no other client's command may have changed it since.
func (c ownerRule) hasOwn(m *history.Command) bool {
	// the latest command that says anything decides
	for _, k := range slices.Backward(c.trace.OfKey(trace.Key(m))) {
		switch mine := k.Process == m.Process; {
		case k.Node != m.Node || k == m || k.Sent > m.Recv:
		case mine && k.Recv <= m.Sent && c.tookKey(k) && c.keyFacts().mayLast(k) >= m.Sent:
			return true
		case c.trace.MayHaveDeleted(k), c.keyFacts().mayChange(k):
			return false
		}
	}
	return false
}

// tookKey reports whether a command took the key for its client. If a swap let no client in, it
// left the key to its owner, with another value. If it let one in, the orders know that.
func (c ownerRule) tookKey(k *history.Command) bool {
	return c.trace.Takes(k) && trace.EffectOf(k.Args).Kind != trace.Swap
}

// late reports whether a command came late to a grant: it was sent before the grant was asked for,
// and it was never answered, or a fault delayed or doubled it. One of the same client is always
// late, because a client sends one command after the other.
func (c *Case) late(m, ga *history.Command) bool {
	return m.Sent < ga.Sent && (!trace.Answered(m) || m.Process == ga.Process ||
		c.mayComeTwice(m) ||
		slices.ContainsFunc(c.faults, func(f record.Fault) bool { return f.Delays(m) }))
}

// mayComeTwice reports whether a fault may have delivered a command twice.
func (c *Case) mayComeTwice(m *history.Command) bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Action == nemesis.Duplicate && f.TouchesWay(m)
	})
}
