package rules

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules/leftover"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// Lost time is time during which a client, the harness or a server did not run although no fault
// was under way. This file adds up the gaps of a client and of the harness, the commands that timed
// out or lost their connection, and the commands that a server answered late.

// excuses finds the time that was lost to stalls and lost messages, and the delays that it excuses.
type excuses struct{ *Case }

func (c *Case) excuses() excuses { return excuses{c} }

// lostTime returns the times that a client lost, disjoint and in order. The caller must not change
// them.
func (c excuses) lostTime(process int) []record.Interval {
	return c.wasted.get(process, c.findLostTime)
}

func (c excuses) findLostTime(process int) []record.Interval {
	var all []record.Interval
	for _, g := range c.clientGaps(process) {
		all = append(all, record.Interval{From: g.From, To: g.To})
	}
	for _, m := range c.trace.Sent[process] {
		if c.unexplained(m) {
			all = append(all, record.Interval{From: m.Sent, To: max(m.Sent, m.Recv)})
		} else if late := c.lateBy(m); late > 0 {
			all = append(all, record.Interval{From: m.Recv - late, To: m.Recv})
		}
	}
	return record.Union(all)
}

// stood returns the intervals in which the nemesis had stopped a client, at a breakpoint or by a
// pause.
func (c *Case) stood(process int) (out []record.Interval) {
	for _, g := range c.Record.Gaps {
		if g.Planned && g.Process == process {
			out = append(out, record.Interval{From: g.From, To: g.To})
		}
	}
	return out
}

// lapsed says why the end of a hold's lease before a stamp proves nothing: the lease would still
// run without the time that its client lost, or a command that may have prolonged it was lost. It
// returns "" if neither is so, or if the lease was not over.
func (c excuses) lapsed(h *record.Hold, at int64) string {
	if c.classifier().bySession(h, at) {
		return c.sessionLapsed(h, at)
	}
	end := h.LeaseAt(at)
	if end > at {
		return ""
	}
	since := h.Granting
	if over := h.LatestEnd(at); h.Later > 0 && over <= at {
		since, end = h.From, over
	}
	lost, worst := c.lostBetween(h.Process, since, at)
	if at-lost < end {
		return explain.Stall(worst)
	}
	for _, m := range c.trace.SentWithin(h.Process, h.Call, at-1) {
		switch {
		case m.Sent >= h.From && c.unexplained(m):
			return explain.Unanswered(m)
		case at-lost-c.lateBy(m) < end:
			return explain.AnsweredLate(m)
		}
	}
	return ""
}

// lateReply is how long a command of a lock may take on a machine that runs.
const lateReply = 100 * time.Millisecond

// lateBy returns how long a command of a lock was under way while no fault can have kept it or its
// reply. It returns 0 if that is not longer than lateReply, or if the command waits, as BLPOP does.
func (c excuses) lateBy(m *history.Command) int64 {
	if !trace.Answered(m) || trace.EffectOf(m.Args).Kind == trace.None {
		return 0
	}
	since := m.Sent
	for i := range c.faults {
		if f := &c.faults[i]; f.Delays(m) {
			since = max(since, f.To)
		}
	}
	if late := m.Recv - since; late > int64(lateReply) {
		return late
	}
	return 0
}

// sessionLapsed says why the session of a hold may have ended before a stamp: its client, the
// harness or a server did not run for so long that a renewal may have come too late. It returns ""
// if that is not so, or if a fault of the run has ended the session.
func (c excuses) sessionLapsed(h *record.Hold, at int64) string {
	silence := c.classifier().endsSession(h.Process)
	lost, worst := c.lostBetween(h.Process, h.Call-2*silence, at)
	if silence == 0 || lost < silence/2 || c.classifier().slept(h, at) ||
		c.classifier().cutOff(h, at) {
		return ""
	}
	return explain.Stall(worst)
}

// lostBetween returns how much time a client lost between two stamps, for another reason than a
// fault, and the longest part of it.
func (c excuses) lostBetween(process int, from, to int64) (lost int64, worst record.Gap) {
	for _, g := range c.clientGaps(process) {
		g.From, g.To = max(g.From, from), min(g.To, to)
		if c.faultHits(process, g) {
			continue // the fault took that time
		}
		if lost += max(0, g.Length()); g.Length() > worst.Length() {
			worst = g
		}
	}
	return lost, worst
}

// faultHits reports whether a fault hit a client during a part of a gap.
func (c excuses) faultHits(process int, g record.Gap) bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Hits(process) && f.From < g.To && g.From < f.To
	})
}

// strikes returns the times when a lock may be taken only because a command or a call was lost
// without a fault. Each lasts until the leftover key has expired. It also returns one of these
// commands, or nil.
func (c excuses) strikes(l *record.Lock) (out []record.Interval, one *history.Command) {
	for _, m := range c.trace.Commands {
		if !c.trace.MayBeOf(m, l.Key) || !c.unexplained(m) || trace.Silent(m) {
			continue
		}
		out, one = append(out, record.Interval{From: m.Sent, To: c.freedBy(l, m)}), m
	}
	return append(out, c.lostCalls(l)...), one
}

// leavesUntil returns when the key of a lock has expired that a lost command may have left, or
// Forever.
func (c excuses) leavesUntil(l *record.Lock, m *history.Command) int64 {
	if c.keepsForEver(l) {
		return record.Forever
	}
	return max(m.Sent, m.Recv) + c.waits().longestLease()
}

// freedBy returns when the key that a lost command may have left is gone: when it has expired, or
// when another client wrote the key that stays. A lost command that takes nothing, such as a
// deletion that may have left its client's key, is over when another client is granted the lock. A
// lost command that takes the key is not: the network may deliver it later.
func (c excuses) freedBy(l *record.Lock, m *history.Command) int64 {
	until := c.leavesUntil(l, m)
	kind := trace.EffectOf(m.Args).Kind
	spared := c.trace.Releasing(m) && !c.trace.MayWrite(m) // a script's other key
	takes := c.keyFacts().takesToken(m) || !c.trace.Frees(m) && !spared &&
		(kind.Writes() || kind == trace.None && !trace.Silent(m) && !c.helps(l, m))
	for _, h := range l.Holds {
		if !takes && h.Sent > max(m.Sent, m.Recv) && h.Process != m.Process {
			until = min(until, h.Sent) // no key was there then
		}
	}
	if w := c.staying(trace.Key(m)); w != nil && keepsOut(w, m) {
		return min(until, w.Sent)
	}
	return until
}

// helps reports whether a command cannot leave a key that keeps clients out: other keys granted the
// lock each time, and no other client asked for this one, except one that waits for a signal.
func (c excuses) helps(l *record.Lock, m *history.Command) bool {
	asked := func(o *history.Command) bool { // another client asked: the key may be a queue
		k := c.trace.CallOf(o)
		return k != nil && o.Process != m.Process && trace.Answered(o) && o.Recv <= k.To &&
			slices.Contains(o.Args, trace.Key(m)) && trace.EffectOf(o.Args).Kind != trace.Free &&
			!(trace.Blocks(o) && trace.Pushes(m))
	}
	return len(l.Holds) > 0 && !trace.IsNamed(c.trace, m) &&
		!slices.ContainsFunc(c.trace.OfLock(l.Key), asked) &&
		!slices.ContainsFunc(l.Holds, func(h *record.Hold) bool {
			grant := c.trace.GrantOf(h)
			return grant == nil || trace.Key(grant) == trace.Key(m)
		})
}

// staying returns the command that wrote a key last, if the key stays until the run ends, or nil.
func (c excuses) staying(key string) *history.Command {
	return c.stays.get(key, func(string) *history.Command {
		return c.writerBefore(key, record.Forever)
	})
}

// writerBefore returns the command that wrote a key last before a stamp, if the key was free until
// then and does not expire, or nil.
func (c *Case) writerBefore(key string, before int64) *history.Command {
	left := leftover.LastWriter(c.trace, c.faults, c.trace.OfKey(key), before)
	if left == nil || left.Expiry != 0 || left.LifeUnknown || !c.trace.TakesFree(left.Command) {
		return nil
	}
	by := left.Command
	for _, m := range c.trace.SentWithin(by.Process, by.Sent+1, before-1) {
		if trace.Key(m) == key && c.trace.MayHaveDeleted(m) {
			return nil
		}
	}
	return by
}

// anothers reports whether the key that a command found cannot be of one of these lost commands.
func (c excuses) anothers(found *history.Command, lost []*history.Command) bool {
	w := c.writerBefore(trace.Key(found), found.Sent)
	return w != nil && !slices.ContainsFunc(lost, func(o *history.Command) bool {
		return !keepsOut(w, o)
	})
}

// keepsOut reports whether a key that a command wrote is certainly not the key of a command that
// another client lost earlier. The lost command must be one that takes no key that is there.
func keepsOut(writer, lost *history.Command) bool {
	kind := trace.EffectOf(lost.Args).Kind
	return writer.Sent > lost.Sent && writer.Process != lost.Process &&
		trace.PlaceOf(writer) == trace.PlaceOf(lost) && kind != trace.Write && kind != trace.Swap &&
		kind != trace.Rewrite && kind != trace.Script
}

// keepsForEver reports whether a key of a lock may stay for ever.
func (c excuses) keepsForEver(l *record.Lock) bool {
	return !c.history.Header.Declares.Lease || slices.ContainsFunc(l.Holds, func(h *record.Hold) bool {
		return h.LeaseEnd() == record.Forever
	})
}
