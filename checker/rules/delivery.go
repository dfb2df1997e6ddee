package rules

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// deliveryRule judges V: whether a grant is as good as the lock promised.
type deliveryRule struct{ *Case }

// delivery judges that a grant is good when it is delivered. When the last reply that it needs
// arrives, the validity that the lock names must not be over. Neither the validity nor the promised
// lease may end after the lease that the lock's commands asked for, counted from their sending. A
// quorum of servers must have let the client in. A lock reads its clock and counts its votes after
// that reply, so no pause and no late message can excuse it. Events between the reply and the
// return do not count. Nor does the loss of a key that existed: by a fault, a moved clock, or
// another client's deletion. If a client's own clock was moved, its validity and its lease are not
// judged.
func (c deliveryRule) delivery() property {
	promises, judged := 0, 0
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
		if h.From >= c.trust.Cut {
			continue
		}
		b := c.ballot(h)
		said := h.Promised != record.Forever
		if said {
			promises++
		}
		if said || len(b.took) >= c.quorum() {
			judged++
		}
		if p, bad := c.undelivered(h, b); bad {
			return p
		}
	}
	switch {
	case promises == 0 && c.history.Header.Declares.Validity && len(c.Record.Holds) > 0:
		return unknown("the lock promises a validity, but no grant says one")
	case judged == 0:
		return notApplicable("the lock says no validity, and no trace shows its votes")
	}
	return valid
}

// undelivered returns the violation by one grant, and whether there is one.
func (c deliveryRule) undelivered(h *record.Hold, b ballot) (p property, bad bool) {
	promised := h.Promised != record.Forever && !c.ownClockMoved(h)
	p = violated(h.Key, wholeHold(h))
	switch {
	case promised && h.Promised < b.at:
		p.Class, p.Explanation = verdict.OverWhenDelivered, explain.OverAtDelivery(h, b.at)
		c.blameCount(&p, h, b)
	case promised && h.Promised > b.expires:
		p.Class, p.Explanation = verdict.PromisedTooLong, explain.PromisedBeyondLease(h, b.expires)
	case c.quorums().noServer(h):
		c.quorums().showNoServer(&p, h)
	default:
		short := c.shortLease(h)
		if short == nil {
			return property{}, false
		}
		p.Class, p.Explanation = verdict.PromisedTooLong, explain.LeaseTooShort(h, short.lease)
		b.took = short.commands
	}
	for _, m := range b.took {
		p.Witness.Commands = append(p.Witness.Commands, grantedBy(m, h))
	}
	inOrder(p.Witness.Commands)
	return p, true
}

// masters returns the number of servers that a client asks.
func (c *Case) masters() int {
	if c.quorums().independent() {
		return c.history.Header.Masters
	}
	return 1
}

// quorum returns how many of them must grant.
func (c *Case) quorum() int { return c.masters()/2 + 1 }

// ownClockMoved reports whether the clock of a hold's client had been moved before the grant.
func (c *Case) ownClockMoved(h *record.Hold) bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.MovesClock() && f.From < h.From && (f.Hits(h.Process) || f.Target == "*")
	})
}

// clockStood returns for how long a clock of a hold's client may have stood during the call: its
// machine was suspended.
func (c excuses) clockStood(h *record.Hold) (stood int64) {
	for _, f := range c.faults {
		if f.Action == nemesis.Suspend && f.Hits(h.Process) {
			stood += max(0, min(f.To, h.From)-max(f.From, h.Call))
		}
	}
	return stood
}

// ballot is how servers answered the acquire call of a hold.
type ballot struct {
	took    []*history.Command // the last command on each server that took the lock, by the reply
	at      int64              // the last reply that the grant needed
	expires int64              // when fewer than the quorum keep it by their leases; Forever: unknown
}

// ballot returns the votes of one grant.
func (c deliveryRule) ballot(h *record.Hold) (b ballot) {
	b.at, b.expires = h.Granting, record.Forever
	if h.Granting > h.Call && h.Granted > 0 {
		b.expires = h.Granting + h.Granted
	}
	for _, m := range c.lastWords(h) {
		if c.trace.Takes(m) {
			b.took = append(b.took, m)
		}
	}
	slices.SortStableFunc(b.took, func(x, y *history.Command) int {
		return cmp.Compare(x.Recv, y.Recv)
	})
	if q := c.quorum(); len(b.took) >= q {
		b.at = max(b.at, b.took[q-1].Recv)
		b.expires = c.expiry(c.keyFacts().lives(h), h.Granted)
	}
	return b
}

// lastWords returns, for each server, the client's last command before it came in that took the
// lock, gave it back or was refused it. A vote counts as withdrawn even if the withdrawal was not
// answered.
func (c deliveryRule) lastWords(h *record.Hold) []*history.Command {
	ofGrant := c.ofGrant(h)
	return c.lastThat(h, func(m *history.Command) bool {
		return ofGrant(m) && (c.trace.Takes(m) || c.trace.Refused(m) || c.trace.Frees(m))
	})
}

// ofGrant returns a function that reports whether the key of a command may be the lock's, as far as
// its server shows it.
func (c *Case) ofGrant(h *record.Hold) func(*history.Command) bool {
	keys := remembered(func(server string) []string { return trace.KeysOf(c.trace, h, server) })
	return func(m *history.Command) bool { return slices.Contains(keys(m.Node), trace.Key(m)) }
}

// lastThat returns the last command of a hold's call on each server that fits and that was over
// when the call returned.
func (c *Case) lastThat(h *record.Hold, fits func(*history.Command) bool) (ms []*history.Command) {
	last := map[string]*history.Command{}
	for _, m := range c.trace.Tries(h) {
		if m.Recv <= h.From && fits(m) {
			last[m.Node] = m
		}
	}
	for _, node := range slices.Sorted(maps.Keys(last)) {
		ms = append(ms, last[node])
	}
	return ms
}

// expiry returns when the leases of the grants leave fewer than a quorum, or Forever if that is
// unknown. Lease is the default for a command that asks for none.
func (c deliveryRule) expiry(took []*history.Command, lease int64) int64 {
	var ends []int64
	for _, m := range took {
		length, known := c.trace.Asked(m)
		e := trace.EffectOf(m.Args)
		if !known && (lease == 0 || e.Expiry.Absolute || e.Kind == trace.Persist) {
			return record.Forever
		}
		if !known {
			length = lease
		}
		ends = append(ends, m.Sent+length)
	}
	slices.Sort(ends)
	return ends[len(ends)-c.quorum()]
}
