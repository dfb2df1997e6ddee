package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// mostOrdered is how many commands are put in order at most.
const mostOrdered = 4000

// ordersOf returns the possible orders of execution of the commands on a grant's key, up to a
// moment after another grant without any command under way. It returns nil if they are unknown.
func ordersOf(c *Case, ga, gb *history.Command) *trace.Orders {
	if c.Record.Shared {
		return nil
	}
	pair := [2]*history.Command{ga, gb}
	if ga.Node == gb.Node && gb.Sent < ga.Sent {
		pair = [2]*history.Command{gb, ga}
	}
	return c.orders.get(pair, func([2]*history.Command) *trace.Orders { return findOrders(c, ga, gb) })
}

func findOrders(c *Case, ga, gb *history.Command) *trace.Orders {
	var ms []*history.Command
	until := max(ga.Recv, gb.Recv)
	for _, m := range c.trace.OfKey(trace.Key(ga)) {
		if m.Node != ga.Node || m.Why == history.NotSent {
			continue
		}
		if m.Sent > until {
			break
		}
		if ms = append(ms, m); trace.Answered(m) {
			until = max(until, m.Recv)
		}
	}
	if len(ms) > mostOrdered || c.keyFacts().thirdParties(ms[0].Sent, until) {
		return nil
	}
	granted := leasesGranted(c)
	return c.trace.Orders(trace.Question{Commands: ms, First: []*history.Command{ga, gb},
		Drift: c.history.Header.Drift, Lease: leasesOf(c, granted), Lost: mayBeLost(c.faults, ga.Node),
		Grants: func(m *history.Command) bool { _, grants := granted[m]; return grants },
		Empty: !slices.ContainsFunc(c.faults,
			func(f record.Fault) bool { return f.Breaks() == nemesis.Durability })})
}

// leasesGranted returns the leases of holds by the commands that granted them.
func leasesGranted(c *Case) map[*history.Command]int64 {
	if c.leases != nil {
		return c.leases
	}
	c.leases = map[*history.Command]int64{}
	for i, m := range c.grants().ByHold {
		if m != nil {
			c.leases[m] = c.Record.Holds[i].Granted
		}
	}
	return c.leases
}

// leasesOf returns a function that tells the lease that a command gave its key, in ns. It is zero
// if the key does not expire, and negative if the lease is not known.
func leasesOf(c *Case, granted map[*history.Command]int64) func(*history.Command) int64 {
	return func(m *history.Command) int64 {
		lease, grants := granted[m]
		switch d, known := c.trace.Asked(m); {
		case known:
			return d
		case trace.EffectOf(m.Args).Expiry != (trace.Expiry{}), c.trace.Undeclared(m):
			return -1
		case !c.trace.Declared(m):
			return 0
		case !grants:
			return -1
		}
		return lease
	}
}

// mayBeLost reports whether a fault may have taken a key of a server away between two stamps,
// whether it may have brought another one back, and when it did so at the earliest. A clock that
// was moved ends leases when it moves. A promotion takes the keys of other servers later, when they
// follow the new master.
func mayBeLost(all []record.Fault, node string) func(from, to int64) (bool, bool, int64) {
	var faults []*record.Fault
	here := map[*record.Fault]bool{}
	for i := range all { // once: a search through all orders asks often
		if f := &all[i]; f.Forgets() {
			faults = append(faults, f)
			here[f] = len(f.Servers()) == 0 || slices.Contains(f.Servers(), node)
		}
	}
	return func(from, to int64) (lost, back bool, after int64) {
		after = record.Forever
		for _, f := range faults {
			if !mayHit(f, here[f], from, to) {
				continue
			}
			lost, back = true, back || !f.MovesClock()
			over := f.From
			if f.From == f.To {
				over++ // it hits nothing that comes after it
			}
			after = min(after, max(over, from))
		}
		return lost, back, after
	}
}

// mayHit reports whether a fault may have changed the keys of a server between two stamps.
func mayHit(f *record.Fault, here bool, from, to int64) bool {
	within := func(t int64) bool { return from <= t && t <= to }
	switch {
	case f.Action == nemesis.NodeClock:
		return here && (within(f.From) || within(f.To))
	case here:
		return f.From <= to && f.To >= from
	}
	return f.Promotes() && f.From <= to
}
