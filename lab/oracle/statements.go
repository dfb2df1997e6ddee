package oracle

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// executed returns the executions of a traced command.
func (t *Truth) executed(m *history.Command) (all []*execution) {
	for _, e := range t.execs {
		if e.command != nil && e.command.Process == m.Process && e.command.Seq == m.Seq {
			all = append(all, e)
		}
	}
	return all
}

// ended returns the lives that a command ended in a certain way.
func (t *Truth) ended(m *history.Command, how ending) (all []*life) {
	for _, l := range t.all {
		if l.how == how && l.ender != nil && l.ender.command != nil &&
			l.ender.command.Process == m.Process && l.ender.command.Seq == m.Seq {
			all = append(all, l)
		}
	}
	return all
}

// command checks that a step of a witness happened on its server.
func (c *comparing) command(m *verdict.WitnessCommand) {
	if m.Kind == verdict.LeaseEnd || m.Kind == verdict.Fault {
		return
	}
	execs := c.executed(&m.Command)
	if m.Recv != 0 && m.Err == "" && len(execs) == 0 {
		c.differ("step", "%s: no server executed %v of client %d", m.Kind, m.Args, m.Process)
		return
	}
	switch m.Kind {
	case verdict.ForeignDelete, verdict.OwnDelete, verdict.LateDelete:
		c.deletion(m)
	case verdict.Write:
		c.write(m)
	case verdict.Denial:
		c.denial(m, execs)
	}
}

// deletion checks that an answered command deleted a value of the right owner.
func (c *comparing) deletion(m *verdict.WitnessCommand) {
	first := c.p.Witness.Holds
	if len(first) == 0 || m.Recv == 0 || m.Err != "" {
		return
	}
	victims := c.ended(&m.Command, deleted)
	if len(victims) == 0 {
		c.differ("step", "%s: %v of client %d deleted nothing", m.Kind, m.Args, m.Process)
		return
	}
	fits := func(l *life) bool {
		own := l.owner.Process == m.Process && (m.N == 0 || m.N == l.owner.N)
		switch m.Kind {
		case verdict.OwnDelete:
			return l.owner.Process == m.Process
		case verdict.LateDelete:
			return l.ender.sent() <= l.born
		}
		return !own && slices.ContainsFunc(first, func(h verdict.Hold) bool {
			return l.owner == who{h.Process, h.N}
		})
	}
	if !slices.ContainsFunc(victims, fits) {
		l := victims[0]
		c.differ("step", "%s: %v of client %d (%d) deleted the key of client %d (%d), born %d, "+
			"by a command sent at %d", m.Kind, m.Args, m.Process, m.N, l.owner.Process, l.owner.N,
			l.born, l.ender.sent())
	}
}

// write checks that a command wrote the key.
func (c *comparing) write(m *verdict.WitnessCommand) {
	if m.Recv == 0 || m.Err != "" {
		return
	}
	if !slices.ContainsFunc(c.all, func(l *life) bool {
		return slices.ContainsFunc(l.touched, func(e *execution) bool { return e.isOf(&m.Command) })
	}) && c.p.Property != verdict.Orphan {
		c.differ("step", "write: %v of client %d wrote nothing", m.Args, m.Process)
	}
}

func (e *execution) isOf(m *history.Command) bool {
	return e != nil && e.command != nil && e.command.Process == m.Process && e.command.Seq == m.Seq
}

// denial checks that the key existed when a client was told so. A key that no command found away
// may outlive its lease if a clock was moved.
func (c *comparing) denial(m *verdict.WitnessCommand, execs []*execution) {
	for _, e := range execs {
		for _, l := range c.all {
			longer := l.how == open && l.born <= e.T && c.clockMoved(e.T)
			if l.node == e.Node && (longer || l.existedAt(e.T)) {
				return
			}
		}
	}
	c.differ("step", "denial: no key was there for %v of client %d", m.Args, m.Process)
}

// foreign checks that a client deleted the key of another acquisition whose client was inside.
func (c *comparing) foreign() {
	for _, w := range c.p.Witness.Holds {
		if c.hold(w.Process, w.N, c.p.Witness.Key) == nil {
			c.differ("holds", "this hold does not exist: %+v", w)
		}
	}
	for i := range c.p.Witness.Commands {
		m := &c.p.Witness.Commands[i]
		if !m.Kind.Deletes() {
			continue
		}
		for _, l := range c.ended(&m.Command, deleted) {
			for _, w := range c.p.Witness.Holds {
				if l.owner == (who{w.Process, w.N}) && l.ender.who() != l.owner {
					return
				}
			}
		}
	}
	c.differ("foreign", "no key of the hold was deleted by another acquisition: %s", c.story())
}

// story describes the keys of the holds of a witness.
func (c *comparing) story() (words string) {
	for _, w := range c.p.Witness.Holds {
		for _, l := range c.all {
			if l.owner == (who{w.Process, w.N}) {
				words += l.String() + "; "
			}
		}
	}
	return words
}

// tokens checks that the tokens of the two holds do not grow.
func (c *comparing) tokens() {
	a, b := c.pair()
	if a == nil {
		return
	}
	if a.Token < b.Token && a.From < b.Call {
		c.differ("tokens", "%d then %d", a.Token, b.Token)
	}
	c.class()
}

// promise checks that the grant promised more than the servers gave.
func (c *comparing) promise() {
	w := c.p.Witness
	if len(w.Holds) == 0 {
		return
	}
	h := c.hold(w.Holds[0].Process, w.Holds[0].N, w.Key)
	if h == nil {
		c.differ("holds", "this hold does not exist: %+v", w.Holds)
		return
	}
	switch own := c.votes(h); {
	case h.Promised != record.Forever && h.Promised < h.From:
	case h.Promised != record.Forever && h.Promised > c.asked(h):
	case own < c.quorum:
	default:
		c.differ("promise", "until %d, granted by %d at %d with leases until %d counted from the "+
			"sending", h.Promised, own, h.From, c.asked(h))
	}
}

// votes returns how many servers kept the lock for a hold when its client entered.
func (t *Truth) votes(h *record.Hold) (n int) {
	for _, l := range t.livesOf(h) {
		if l.born <= h.From && l.goneAt() > h.Granting {
			n++
		}
	}
	return n
}

// asked returns the time when fewer than a quorum of the leases of a grant are left. It counts each
// lease from the time when the client sent the command.
func (t *Truth) asked(h *record.Hold) int64 {
	var ends []int64
	for _, l := range t.livesOf(h) {
		if l.born > h.From {
			continue // a later copy
		}
		end := int64(never)
		for i, d := range l.dues {
			if i == 0 || d.at <= h.From {
				end = d.end
				if d.by != nil && d.by.command != nil && end != never {
					end -= d.at - d.by.sent()
				}
			}
		}
		ends = append(ends, end)
	}
	slices.Sort(ends)
	if len(ends) < t.quorum {
		return 0
	}
	return ends[len(ends)-t.quorum]
}

// noGrant checks that no client was granted the lock during a reported deadlock or outage, and that
// no client was inside during a deadlock. A client that entered its own leftover does not count.
func (c *comparing) noGrant() {
	w := c.p.Witness
	if len(w.Holds) == 0 || c.p.Property == verdict.Deadlock && w.Holds[0].N != 0 {
		return
	}
	from, to := w.Holds[0].From, w.Holds[0].To
	for i := range c.record.Holds {
		h := &c.record.Holds[i]
		switch {
		case h.Key != w.Key || h.From >= to || c.p.Property == verdict.Deadlock && c.stayed(h):
		case h.From > from:
			c.differ("no grant", "client %d was granted the lock at %d, between %d and %d", h.Process,
				h.From, from, to)
			return
		case h.End > from && c.p.Property == verdict.Deadlock:
			c.differ("inside", "client %d was inside from %d to %d, between %d and %d", h.Process,
				h.From, h.End, from, to)
			return
		}
	}
}

// stayed reports whether a hold began in a key of its own client that was still there after its
// release.
func (c *comparing) stayed(h *record.Hold) bool {
	return slices.ContainsFunc(c.all, func(l *life) bool {
		return l.lock == h.Key && l.owner.Process == h.Process && l.born < h.Call &&
			h.Returned < l.goneAt()
	})
}

// orphan checks that no client held the key that a client found, or was about to.
func (c *comparing) orphan() {
	for i := range c.p.Witness.Commands {
		m := &c.p.Witness.Commands[i]
		if m.Kind != verdict.Denial {
			continue
		}
		for _, e := range c.executed(&m.Command) {
			for _, l := range c.all {
				if l.node != e.Node || !l.existedAt(e.T) {
					continue
				}
				if c.busy(l, e.T) {
					c.differ("orphan", "client %d, whose key it was, was inside or about to be", l.owner.Process)
					return
				}
				if why := c.faulted(l, e.T); c.p.Decides && why != "" {
					c.differ("decides", "%s", why)
					return
				}
			}
		}
	}
}

// faulted says how a fault may be why a key was there at a time: its server got it from another
// one, or never got a command that its client sent since. It returns "" if no fault may be.
func (t *Truth) faulted(l *life, at int64) string {
	if l.origin != nil {
		return "the server had the key from another one"
	}
	for i := range t.run.Trace {
		m := &t.run.Trace[i]
		if m.Process == l.owner.Process && m.Node == l.node && m.Sent > l.by.sent() && m.Sent < at &&
			len(t.executed(m)) == 0 {
			return fmt.Sprintf("%v of client %d never arrived", m.Args, m.Process)
		}
	}
	return ""
}

// busy reports whether the owner of a key was inside at a time.
func (t *Truth) busy(l *life, at int64) bool {
	for i := range t.record.Holds {
		h := &t.record.Holds[i]
		if h.Process == l.owner.Process && h.N == l.owner.N && h.Key == l.lock && h.From <= at &&
			at < h.End {
			return true
		}
	}
	return false
}
