package oracle

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// Difference is a statement of a verdict that contradicts the record of the servers.
type Difference struct {
	Property string
	What     string // the kind of statement
	Why      string // what really happened
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s: %s", d.Property, d.What, d.Why)
}

// comparing collects the differences of one verdict.
type comparing struct {
	*Truth
	p   verdict.Property
	out []Difference
}

// Compare compares every statement of a verdict with the actions of the servers.
func (t *Truth) Compare(v *checker.Verdict) []Difference {
	c := &comparing{Truth: t}
	for _, c.p = range v.Properties {
		c.excuse()
		if c.p.Verdict == verdict.Violated && c.p.Witness != nil {
			c.violation()
		}
	}
	if e := v.Evidence; e.Gaps > 0 || e.TimedOut > 0 && !t.timedOut() {
		c.p = verdict.Property{Property: "evidence"}
		c.differ("stall", "%d gaps, %d time-outs: nothing stalls here", e.Gaps, e.TimedOut)
	}
	return c.out
}

func (c *comparing) differ(what, why string, args ...any) {
	c.out = append(c.out, Difference{c.p.Property, what, fmt.Sprintf(why, args...)})
}

// excuse checks that the verdict reports no stall, because no machine stalls in virtual time.
func (c *comparing) excuse() {
	if c.p.Stalled && !c.timedOut() {
		c.differ("stall", "nothing stalls here: %s", c.p.Reason)
	}
}

func (c *comparing) violation() {
	for i := range c.p.Witness.Commands {
		c.command(&c.p.Witness.Commands[i])
	}
	switch c.p.Property {
	case verdict.MutualExclusion, verdict.LeaseExclusion:
		c.overlap()
		c.class()
	case verdict.Fencing:
		c.tokens()
	case verdict.OwnerRelease:
		c.foreign()
	case verdict.Validity:
		c.promise()
	case verdict.Deadlock, verdict.Outage:
		c.noGrant()
	case verdict.Orphan:
		c.orphan()
	case verdict.Notice, verdict.Reentry:
		if len(c.p.Witness.Holds) == 2 {
			c.inside()
		}
	}
}

// pair returns the two holds of a witness, the first granted first, or nil if they do not exist.
func (c *comparing) pair() (a, b *record.Hold) {
	w := c.p.Witness
	if len(w.Holds) != 2 {
		return nil, nil
	}
	a, b = c.hold(w.Holds[0].Process, w.Holds[0].N, w.Key), c.hold(w.Holds[1].Process,
		w.Holds[1].N, w.Key)
	if a == nil || b == nil {
		c.differ("holds", "these holds do not exist: %+v", w.Holds)
		return nil, nil
	}
	return a, b
}

// inside checks that both clients were inside at the same time.
func (c *comparing) inside() {
	if a, b := c.pair(); a != nil && (a.From >= b.End || b.From >= a.End) {
		c.differ("overlap", "client %d was inside from %d to %d, client %d from %d to %d", a.Process,
			a.From, a.End, b.Process, b.From, b.End)
	}
}

// overlap checks that both clients were inside and, for L, that their leases were running.
func (c *comparing) overlap() {
	c.inside()
	a, b := c.pair()
	if a == nil {
		return
	}
	for i, h := range []*record.Hold{a, b} {
		says := c.p.Witness.Holds[i].LeaseEnd
		real := c.leaseOver(h, max(a.From, b.From))
		if c.p.Property == verdict.LeaseExclusion && c.leased() && real != 0 && says-ms > real &&
			!c.tookAnew(h, says, min(a.End, b.End)) {
			c.differ("lease", "client %d had a lease until %d by its server, not %d", h.Process, real, says)
		}
	}
}

// tookAnew reports whether a lease until end is that of a key that an inner acquisition by the
// client of a hold took anew, before a stamp, because a server no longer had the first one.
func (c *comparing) tookAnew(h *record.Hold, end, before int64) bool {
	return slices.ContainsFunc(c.all, func(l *life) bool {
		inner := slices.ContainsFunc(c.record.Inner, func(in record.Hold) bool {
			return in.Process == l.owner.Process && in.N == l.owner.N && in.Key == h.Key
		})
		return inner && l.owner.Process == h.Process && l.lock == h.Key && h.Call < l.born &&
			l.born < before && l.dueAt(before) >= end-ms
	})
}

const ms = 1e6

// leased reports whether the keys of this lock expire on the servers.
func (c *comparing) leased() bool {
	return slices.ContainsFunc(c.all, func(l *life) bool { return l.natural() != never })
}

// class checks that the events on the servers between two grants match the class.
func (c *comparing) class() {
	a, b := c.pair()
	if a == nil {
		return
	}
	a, b = c.inOrder(a, b)
	causes := c.causes(a, b)
	var kinds []string
	for i := range causes {
		x := &causes[i]
		if c.fits(x, a, b) {
			return
		}
		kinds = append(kinds, x.String(a))
	}
	c.differ("class", "%q, but client %d's key: %v", c.p.Class, a.Process, kinds)
}

// inOrder returns two holds in the order of the grants on the servers. The client that was granted
// the lock first may learn it last.
func (c *comparing) inOrder(a, b *record.Hold) (first, second *record.Hold) {
	for _, x := range c.causes(a, b) {
		if x.kind != alive {
			return a, b
		}
	}
	return b, a
}

// String describes the cause.
func (x *cause) String(a *record.Hold) string {
	s := x.kind
	switch x.kind {
	case string(deleted), string(overwritten):
		s += " by its own client"
		switch x.other.Process {
		case a.Process:
		case history.Harness:
			s = x.kind + " by an operator"
		default:
			s = x.kind + " by another client"
		}
		if x.late {
			s += ", late"
		}
	}
	return s
}

// fits reports whether a class describes a cause.
func (c *comparing) fits(x *cause, a, b *record.Hold) bool {
	if x.kind == string(deleted) && c.leftOpen(x.life) {
		return true
	}
	own := x.other.Process == a.Process
	over := c.leaseOver(a, b.From)
	if over == 0 || over == never {
		over = a.LeaseAt(b.From)
	}
	switch c.p.Class {
	case verdict.LeaseOverrun:
		return x.kind == string(expired) || over <= b.From+ms
	case verdict.PromisedTooLong:
		return (x.kind == string(expired) || over <= b.From+ms) && a.Valid != record.Forever
	case verdict.Vanished:
		return x.kind == string(deleted) && x.other.Process == history.Harness ||
			c.p.Property == verdict.Fencing && c.emptied(a, b)
	case verdict.ReleasedByNonOwner:
		return x.kind == string(deleted) && x.other != (who{a.Process, a.N}) &&
			x.other.Process != history.Harness
	case verdict.LateMessage:
		lateGrant := a.From >= a.Leases[0].To || b.From >= b.Leases[0].To
		return x.kind == string(deleted) && x.late || lateGrant
	case verdict.Clock:
		return x.kind == string(early) || c.clientClockMoved()
	case verdict.LostByServer:
		return x.kind == string(lost) || x.kind == absent && x.node != "" || x.wasBehind() ||
			c.p.Property == verdict.Fencing && c.forgot(a, b)
	case verdict.OldToken:
		return true // tokens compares its tokens
	case verdict.CheckThenSet:
		return x.kind == string(overwritten)
	case verdict.DoubleGrant:
		return x.kind == string(overwritten) || x.kind == string(deleted) && own && !x.late ||
			x.kind == neverWritten || x.kind == noGrant || x.kind == absent && x.node == ""
	}
	return false
}

// leftOpen reports whether the verdict says only that the deletion that ended a life may have done
// so. Then the replies allow another order of events, and the class may follow from that order.
func (c *comparing) leftOpen(l *life) bool {
	return slices.ContainsFunc(c.p.Witness.Commands, func(m verdict.WitnessCommand) bool {
		return m.Kind == verdict.PossibleDelete && m.Err == "" && l.ender.isOf(&m.Command)
	})
}

// wasBehind reports whether a copy of the key lacked a renewal that its master had.
func (x *cause) wasBehind() bool {
	return x.life != nil && x.life.origin != nil && x.life.origin.natural() > x.life.natural()
}

// forgot reports whether some server lost a key between two grants.
func (t *Truth) forgot(a, b *record.Hold) bool {
	return slices.ContainsFunc(t.losses, func(at int64) bool { return a.Call < at && at < b.From })
}

// emptied reports whether an operator deleted all keys of a server between two grants.
func (c *comparing) emptied(a, b *record.Hold) bool {
	return slices.ContainsFunc(c.record.Faults, func(f record.Fault) bool {
		return f.Action == nemesis.Flush && a.Call < f.To && f.From < b.From
	})
}

func (c *comparing) clientClockMoved() bool {
	return slices.ContainsFunc(c.record.Faults, func(f record.Fault) bool {
		_, client := f.Client()
		return f.MovesClock() && (client || f.Target == "*")
	})
}
