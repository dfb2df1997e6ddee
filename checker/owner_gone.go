package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/history"
)

// gone finds a deletion of another's key by what came of it. A client was granted a free lock while another's lease on the same server
// surely ran; the lease had not ended, the holder had not begun to release, and no fault took the server's memory or clock. So somebody
// deleted the key between the two grants. If all that can have done it were sent by others, one of them did, whether or not anybody read its reply.
//
// The owner is the acquisition, not the client: a late release of a hold that is over is not the owner of the same client's next one.
func (c *check) gone(key int, ss []span, g grants) (p Property, found bool) {
	index := map[*hold]int{}
	for i := range c.record.holds {
		index[&c.record.holds[i]] = i
	}
	overlaps(ss, func(a, b span) bool {
		victim, next := &c.record.holds[a.hold], &c.record.holds[b.hold]
		ga, gb := g.holds[int(a.hold)], g.holds[int(b.hold)]
		if ga == nil || gb == nil || ga.Node != gb.Node || ga.Recv >= gb.Sent || !c.reader.takesFree(gb) || c.forgets(ga.Sent, gb.Recv) {
			return true
		}
		if ms := c.deleters(ga, gb); strangers(ms, victim) && !c.renests(victim) {
			p, found = c.deletion(key, victim, next, []*history.Command{ga, gb}, ms), true
		}
		return !found
	})
	return p, found
}

// forgets reports whether a fault may have made a server lose a key, or its lease end early, in a time.
func (c *check) forgets(from, to int64) bool {
	return slices.ContainsFunc(c.faults, func(f fault) bool {
		k := kindOf(f)
		return (k == durabilityFault || k == serverClockFault) && f.from < to && (f.to > from || lasts(f))
	})
}

// renests reports whether a client acquired anew what it held, so that one of its own inner releases may have ended the hold.
func (c *check) renests(h *hold) bool {
	return slices.ContainsFunc(c.record.calls, func(k call) bool { return k.process == h.process && k.depth > 0 })
}

// deleters are all commands that may have deleted the key of one grant before the next one.
func (c *check) deleters(ga, gb *history.Command) (out []*history.Command) {
	for i := range c.trace {
		m := &c.trace[i]
		known := answered(m)
		switch {
		case m.Node != ga.Node || keyOfCommand(m) != keyOfCommand(ga), m.Sent >= gb.Recv, known && m.Recv <= ga.Sent:
		case known && (c.frees(m) || c.reader.declared(m) != nil) && !c.deleted(m):
			// it said that it deleted nothing
		case c.frees(m) || c.reader.undeclared(m) && !c.reader.denied(m):
			out = append(out, m)
		}
	}
	return out
}

// strangers reports whether there are commands, and none is of the acquisition that holds the lock.
func strangers(ms []*history.Command, h *hold) bool {
	return len(ms) > 0 && !slices.ContainsFunc(ms, func(m *history.Command) bool { return m.Process == h.process && (m.N == h.n || m.N == 0) })
}

// deletion tells the story.
func (c *check) deletion(key int, victim, next *hold, grants, ms []*history.Command) Property {
	p := Property{Verdict: Violated, Class: ReleasedByNonOwner}
	w := &Witness{Key: key, Holds: []Hold{witnessHold(victim, span{from: victim.from, end: victim.end}), witnessHold(next, span{from: next.from, end: next.end})}}
	w.Commands = append(w.Commands, WitnessCommand{*grants[0], fmt.Sprintf("grants client %d", victim.process)}, WitnessCommand{*grants[1], fmt.Sprintf("grants client %d", next.process)})
	var said []string
	for _, m := range ms {
		effect := "deleted the key of client %d"
		if len(ms) > 1 {
			effect = "may have deleted the key of client %d"
		}
		if m.Sent < grants[0].Recv {
			effect += ": it was sent before the grant and came late"
			p.Class = LateMessage
		}
		w.Commands = append(w.Commands, WitnessCommand{*m, fmt.Sprintf(effect, victim.process)})
		said = append(said, fmt.Sprintf("%q by client %d at %s", m.String(), m.Process, at(m.Sent)))
	}
	slices.SortStableFunc(w.Commands, func(a, b WitnessCommand) int { return cmp.Compare(a.Sent, b.Sent) })
	p.Witness = w
	p.Words = fmt.Sprintf("Client %d was granted lock %d by %q at %s, and its lease was valid until %s. Yet at %s the lock was free and granted to client %d, and client %d had not released it. All that can have deleted the key was sent for holds that were not its own: %s. Class: %s.",
		victim.process, key, grants[0].String(), at(victim.from), until(victim.leaseAt(next.from)), at(next.from), next.process, victim.process, strings.Join(said, "; "), p.Class)
	return p
}
