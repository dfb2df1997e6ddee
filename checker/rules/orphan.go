package rules

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules/leftover"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// orphanRule judges R: keys that a lock left behind.
type orphanRule struct{ *Case }

// orphan judges that no key stays set without a holder. It is violated if a client was told that
// the lock is taken while no client was inside and no client had an acquire or release call open
// that may account for it. The rule needs the trace. For as long as the key of a client that was
// killed may stay, with or without a lease, it says nothing. Of independent servers, so many must
// have refused that the attempt could not have been granted.
func (c orphanRule) orphan() property {
	if len(c.trace.Commands) == 0 {
		return unknown("a trace of commands is missing, and only that shows whether a key is set")
	}
	if c.quorums().independent() && c.history.Header.Masters == 0 {
		return notApplicable("a key on one of several independent servers keeps no client out, and " +
			"the " +
			"record does not say how many there are")
	}
	ledger, lost := c.trace.Ledger(), c.lateness()
	if k := c.keptAfter(lost); k != nil {
		return c.keptKey(k)
	}
	grants, granting, dead := c.grants(), c.grantingKeys(), c.deadKeys()
	seen, slow, why := false, false, ""
	var refusals []*history.Command
	for _, m := range c.trace.Commands {
		key, known := grants.LockOf(m)
		if !known || !c.refused(m) || c.goesOn(m, granting) || dead.Meets(m.Recv, m.Recv) {
			continue
		}
		seen = true
		if ledger.Accounts(m, key, m.Sent-c.quorums().arrivalSlack()) {
			continue
		}
		if c.quorums().controlled() && c.quorums().slow(key, m) {
			slow = true
			continue
		}
		if late := lost.why(key, m); late != "" {
			why = cmp.Or(why, late)
			continue
		}
		if c.quorums().independent() {
			refusals = append(refusals, m)
			continue
		}
		return c.leftover(key, m)
	}
	if ms := c.quorums().outvoted(refusals); ms != nil {
		key, _ := grants.LockOf(ms[0])
		return c.leftover(key, ms...)
	}
	again := c.lastReentry()
	switch {
	case !seen && again == nil:
		return notApplicable("no reply told a client for certain that the lock is another's")
	case slow:
		return stalled("a key was left behind by a command that timed out although no fault held it " +
			"back: the machine stalled")
	case why != "":
		return stalled("it looks as if %s, but %s", explain.Broken(verdict.Orphan), why)
	case again != nil:
		return unknown("client %d entered a key that it had left behind itself; whether that key kept "+
			"others out is unknown, since no other client was refused between its holds", again.Process)
	}
	return valid
}

// refused reports whether a client asked for a lock and was told that it is taken. An undescribed
// script that left a key as it was tells that only in an acquire call. Elsewhere it may be a
// renewal or a release, and the key its note.
func (c orphanRule) refused(m *history.Command) bool {
	asks := c.trace.CallOf(m) != nil || c.trace.Declared(m) || len(m.Effects) == 0
	return asks && c.trace.Denied(m)
}

// leftover returns the violation that refusals show.
func (c orphanRule) leftover(key int, ms ...*history.Command) property {
	p := violated(key)
	for _, m := range ms {
		p.Witness.Commands = append(p.Witness.Commands, command{Command: *m,
			Kind: verdict.Denial, Effect: explain.Denied()})
	}
	writer, lost := leftover.Find(c.trace, c.faults, ms[0])
	if writer != nil && writer != ms[0] {
		p.Witness.Commands = append(p.Witness.Commands, command{Command: *writer, Kind: verdict.Write,
			Effect: explain.Writes(writer.Process)})
		inOrder(p.Witness.Commands)
	}
	if writer != nil && writer == lost && writer.Process == ms[0].Process && writer.N == ms[0].N {
		p.Class = verdict.RefusedThoughGranted
	}
	left := leftover.LastWriter(c.trace, c.faults, c.trace.OfKey(trace.Key(ms[0])), ms[0].Sent)
	p.Stays = left != nil && left.Command == writer && lasts(c.Case, left)
	p.Explanation = explain.LeftBehind(c.history.Header, key, ms, writer, lost, p.Stays)
	p.Cause = c.cause(key, ms[0], writer, lost)
	p.Decides = lost == nil && c.decides(ms[0], writer)
	return p
}

// cause names a release that was answered and left the key there, or that the promoted server never
// heard of, or says that no command deletes a key. It returns "" if none of these is known.
func (c orphanRule) cause(key int, refused, writer, lost *history.Command) string {
	if lost != nil {
		return ""
	}
	if writer == nil {
		return c.faultTimes().promotedWithout(c.waits().lock(key), refused.Sent)
	}
	for _, m := range slices.Backward(c.trace.SentWithin(writer.Process, writer.Sent+1,
		refused.Sent-1)) {
		if trace.PlaceOf(m) == trace.PlaceOf(writer) && c.trace.LeavesKey(m) {
			return explain.LeftByRelease(m)
		}
	}
	if released := c.releaseBefore(refused.Sent); released && leftover.NeverFreed(c.trace) {
		return explain.NeverFreed(c.history.Header.Declares.MinimumHold)
	}
	return ""
}

// releaseBefore reports whether a release with a definite answer was over before a stamp.
func (c orphanRule) releaseBefore(t int64) bool {
	return slices.ContainsFunc(c.Record.Holds, func(h record.Hold) bool {
		return h.Ended == record.Released && h.Answer != history.Info && h.End < t
	})
}

// decides reports whether a leftover key decides the run. It never does if its writer is unknown,
// if the lock keeps its key for a minimum time on purpose, if the client may give the key back a
// moment later, or if its process ended. Otherwise it does if no fault began before the refusal
// that shows it. After a fault, the call that wrote the key must have said that the lock is another
// client's, or the release that followed must have ended with a definite answer. No fault since the
// write can have lost a write, brought one back or kept the client from its server. And the client
// must have all replies, since a lock that counts its holds may still count an unanswered command.
func (c orphanRule) decides(refused, writer *history.Command) bool {
	switch {
	case writer == nil, c.history.Header.Declares.MinimumHold > 0, c.freedLater(writer, refused),
		c.waits().endOf(writer.Process) < record.Forever:
		return false
	case !slices.ContainsFunc(c.faults, func(f record.Fault) bool { return f.From <= refused.Recv }):
		return true
	case !c.undisturbed(writer.Sent, refused.Recv), c.lostReply(writer, refused.Recv):
		return false
	}
	return c.saidNo(writer) || slices.ContainsFunc(c.Record.Holds,
		func(h record.Hold) bool {
			return h.Process == writer.Process && h.Ended == record.Released && h.Answer != history.Info &&
				h.Call <= writer.Sent && (writer.N == 0 || writer.N == h.N)
		})
}

// saidNo reports whether a key was written by an acquire call that said that the lock is another
// client's, or in the background after a call that its client had given up.
func (c orphanRule) saidNo(writer *history.Command) bool {
	k := c.trace.CallOf(writer)
	return k != nil && k.Denied() || c.trace.GivenUpBefore(writer)
}

// lostReply reports whether the client that wrote a key has sent a command about that key on that
// node, before a stamp, whose reply it never read.
func (c orphanRule) lostReply(writer *history.Command, before int64) bool {
	sent := c.trace.SentWithin(writer.Process, 0, before)
	return slices.ContainsFunc(sent, func(m *history.Command) bool {
		return trace.PlaceOf(m) == trace.PlaceOf(writer) && trace.Unsure(m)
	})
}

// freedLater reports whether the client that wrote a key had a command under way when another one
// found the key, or sent one later, that may free it, before it took the key again.
func (c orphanRule) freedLater(writer, refused *history.Command) bool {
	for _, m := range c.trace.SentWithin(writer.Process, writer.Sent, record.Forever) {
		switch {
		case trace.PlaceOf(m) != trace.PlaceOf(writer):
		case m.Sent > refused.Sent && c.trace.Wrote(m):
			return false
		case m.Recv != 0 && m.Recv < refused.Sent:
		case c.trace.Frees(m), c.trace.Undeclared(m):
			return true
		}
	}
	return false
}

// deadKeys returns the times in which the keys of clients that have ended may stay, and the time
// that is not judged at all.
func (c orphanRule) deadKeys() record.Reach {
	ts := []record.Interval{{From: c.trust.Cut, To: record.Forever}}
	stays := c.waits().longestLease()
	for _, m := range c.trace.Commands {
		asked, _ := c.trace.Asked(m)
		stays = max(stays, asked)
	}
	for _, e := range c.Record.Marks {
		if e.Type == history.Kill || e.Type == history.Exit {
			to := min(c.silentFrom(e), record.Forever/2) + stays + c.waits().boundFor(0, record.Forever)
			if !c.history.Header.Declares.Lease || leftForGood(c.Case, e) {
				to = record.Forever
			}
			ts = append(ts, record.Interval{From: e.T, To: to, Process: e.Process})
		}
	}
	return record.NewReach(ts)
}

// leftForGood reports whether a client that ended was the last to write the key of a lock, and
// nothing that was answered gave that key a time to live.
func leftForGood(c *Case, end *history.Event) bool {
	return slices.ContainsFunc(c.waits().locks(), func(l record.Lock) bool {
		left := leftover.LastWriter(c.trace, c.faults, c.trace.OfLock(l.Key), end.T)
		return left != nil && left.Command.Process == end.Process && left.Lasting()
	})
}

// lasts reports whether nothing that was answered gave a key a time to live. If the lock declares a
// lease and no command ever asked for one, the lease is a time in the value, and ends the hold.
func lasts(c *Case, left *explain.Leftover) bool {
	if !left.Lasting() {
		return false
	}
	return !c.history.Header.Declares.Lease || slices.ContainsFunc(
		c.trace.OfKey(trace.Key(left.Command)), func(m *history.Command) bool {
			_, known := c.trace.Asked(m)
			return known
		})
}

// silentFrom returns when no command of a client that ended can arrive any more: when it ended, or
// when the last fault was over that may have held one back.
func (c orphanRule) silentFrom(end *history.Event) int64 {
	t := end.T
	for _, m := range c.trace.Unanswered() {
		for _, f := range c.faults {
			if m.Process == end.Process && f.Delays(m) {
				t = max(t, f.To)
			}
		}
	}
	return t
}

// goesOn reports whether the call of a refused command went on to take the lock, or had no time to:
// no command for that key ever granted the lock, and a later one that may grant it is for a key
// that did. Granting is the set of keys that did. If no command is known that grants the lock,
// although clients had it, any later one for another key may. A client is refused so if it creates
// a counter before its first use.
func (c orphanRule) goesOn(refused *history.Command, granting map[string]bool) bool {
	k := c.trace.CallOf(refused)
	if k == nil || granting[trace.Key(refused)] {
		return false
	}
	lock, _ := c.grants().LockOf(refused)
	unseen := len(granting) == 0 && len(c.Record.Holds) > 0
	for _, m := range c.waits().commandsOf(k) {
		other, _ := c.grants().LockOf(m)
		again := trace.PlaceOf(m) == trace.PlaceOf(refused)
		switch {
		case other != lock || m == refused || m.Sent < refused.Sent:
		case granting[trace.Key(m)] && trace.ShowsKey(&c.trace.Reader, m):
			return true // it looked at the lock all the same
		case unseen && trace.Key(m) != trace.Key(refused) && trace.Answered(m) && !trace.Silent(m):
			return true
		case again && (c.trace.TakesFree(m) || c.trace.Denied(m) && k.Outcome != history.OK):
			return false // it needs that key
		case granting[trace.Key(m)] && (c.trace.MayGrant(m) || c.trace.Undeclared(m)):
			return true
		}
	}
	return k.Outcome == history.OK ||
		!k.Denied() && len(c.Record.Holds) > 0 && !c.freedByRelease(trace.Key(refused))
}

// grantingKeys returns the keys of the commands that are known to have granted a lock.
func (c orphanRule) grantingKeys() map[string]bool {
	keys := map[string]bool{}
	for _, m := range c.grants().ByHold {
		if m != nil {
			keys[trace.Key(m)] = true
		}
	}
	return keys
}

// freedByRelease reports whether a release call sent a deletion of a key.
func (c orphanRule) freedByRelease(key string) bool {
	return slices.ContainsFunc(c.trace.OfKey(key), func(m *history.Command) bool {
		return c.trace.Releasing(m) && c.trace.Frees(m)
	})
}
