package spec

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// ballot is a call that asks all masters.
type ballot struct{ *call }

// redlock: SET key value NX PX lease on all masters at once. A majority grants the lock if the
// lease minus the drift of the clocks is not over. Otherwise the client releases it on all masters,
// and tries again with a new value (D003 §6, Redis' own description). Variant "call" keeps the
// value.
func redlock(of *call) {
	c := ballot{of}
	left, value := false, ""
	for c.more() {
		h := &hold{value: value, after: c.from}
		if c.rested(c.options.Poll / 2); c.last != nil {
			h.after = c.last.Recv
		}
		yes, sent := c.votes("OK", "SET", c.key(), &h.value, "NX", "PX", ms(c.options.TTL))
		if value == "" {
			c.checkFresh(h.value)
		}
		if c.options.Variant == "call" {
			value = h.value
		}
		if len(sent) == 0 {
			return
		}
		h.sent = sent[0].Sent
		if yes >= c.quorum() && !c.more() && c.ended == history.OK {
			c.redlockGrants(h)
			return
		}
		if c.ended == "" && !c.more() {
			return
		}
		if yes >= c.quorum() && !c.isOver() && c.next() != nil && c.next().Sent < h.sent+c.validity() {
			c.depart(c.next().Sent, "was granted the lock by %d of %d, and gave it back", yes, c.masters())
		}
		gone, sent := c.votes("1", "EVAL", releaseScript, "1", c.key(), h.value)
		left = left || gone < yes || slices.ContainsFunc(sent, unanswered)
	}
	if left {
		c.returns(history.Info, history.Fail)
		return
	}
	c.returns(history.Fail, history.Info)
}

// redlockGrants ends an acquire that a majority granted.
func (c *ballot) redlockGrants(h *hold) {
	if c.grants(*h, c.lease()); c.isOver() {
		return
	}
	if g := c.grant; g.ValidUntil != g.Sent+c.validity() {
		c.depart(c.to, "says that the hold is valid for %d ns, where it is %d ns", g.ValidUntil-g.Sent,
			c.validity())
	}
}

// validity returns the lease minus the drift of the clocks, in ns. The drift is 1 % of the lease
// plus 2 ms.
func (c *ballot) validity() int64 {
	ttl := c.options.TTL
	return int64(ttl - ttl/100 - 2*time.Millisecond)
}

func unanswered(m *history.Command) bool { return reply{Command: m}.failed() }

func (c *ballot) masters() int { return max(c.header.Masters, 1) }

func (c *ballot) quorum() int { return c.masters()/2 + 1 }

// votes reads one command on each master, in any order, and counts the masters that sent the reply.
func (c *ballot) votes(reply string, words ...any) (yes int, sent []*history.Command) {
	for range c.masters() {
		r := c.takesOn(len(words) > 0 && words[0] == "SET", words)
		if r.Command == nil {
			return yes, sent
		}
		if slices.ContainsFunc(sent, func(m *history.Command) bool { return m.Node == r.Node }) {
			c.depart(r.Sent, "sent %s to %s twice", format(r.Command), r.Node)
		}
		for i, w := range words { // all masters must get the value that the first one gets
			if v, ok := w.(*string); ok {
				words[i] = *v
			}
		}
		sent = append(sent, r.Command)
		if r.is(reply) && r.acks >= c.needed(words) {
			yes++
		}
	}
	return yes, sent
}

func (c *ballot) takesOn(taking bool, words []any) reply {
	if taking {
		return c.takes(words...)
	}
	return c.sends(words...)
}

// needed returns how many replicas have to confirm a vote.
func (c *ballot) needed(words []any) int {
	if words[0] == "SET" {
		return c.options.WaitReplicas
	}
	return 0
}

// redlockRelease: a script deletes the value on all masters, and a majority has to confirm that.
func redlockRelease(of *call) {
	c := ballot{of}
	h := c.held()
	yes, sent := c.votes("1", "EVAL", releaseScript, "1", c.key(), h.value)
	c.majority(yes, sent)
}

// redlockExtend: a script gives the value a new lease on all masters, and a majority has to confirm
// that before the validity of the hold is over.
func redlockExtend(of *call) {
	c := ballot{of}
	h := c.held()
	if !c.more() {
		c.returns(history.Fail) // the lock allows no more extensions of this hold
		return
	}
	yes, sent := c.votes("1", "EVAL", extendScript, "1", c.key(), h.value, ms(c.options.TTL))
	if yes >= c.quorum() && c.ended == history.Info {
		c.returns(history.Info) // too late
		return
	}
	c.majority(yes, sent)
}

func (c *ballot) majority(yes int, sent []*history.Command) {
	switch {
	case len(sent) < c.masters():
		c.cut = true
	case yes >= c.quorum():
		c.returns(history.OK)
	default:
		c.returns(history.Fail, history.Info)
	}
}
