package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// stuckClass returns the class of a time in which no client was granted a free lock. It returns ""
// if the commands do not tell what kept the clients out, or if there is no class for it, as for
// another error than NOSCRIPT.
func stuckClass(c *Case, w explain.Wait) string {
	switch {
	case w.Last && trace.NoScript(w.Error):
		return verdict.ForgottenScript
	case w.Last:
		return ""
	case w.Left != nil && w.Left.Renewal != nil:
		return verdict.RenewedOn
	case c.waits().absent(w.Key, record.Interval{From: w.From, To: w.To}) && !keepAsking(c, w):
		return verdict.MissedWake
	}
	return ""
}

// keepAsking reports whether clients that waited asked for the lock all the time, and were answered
// that no key is there: no part of the time was as long as the bound without that.
func keepAsking(c *Case, w explain.Wait) bool {
	last := w.From
	for _, m := range c.trace.OfLock(w.Key) {
		asks := c.trace.FindsNone(m) && c.trace.CallOf(m) != nil
		if asks && m.Sent >= w.From && m.Recv <= w.To && m.Sent < last+w.Bound {
			last = max(last, m.Recv)
		}
	}
	return w.To < last+w.Bound
}

// hangingClass returns the class of a call that does not end. A call that ignores its time-out
// hangs only if no other client is inside (waits.undisturbed). It has no class, which is "", if a
// key without an end may be there, and missed its wake-up if it waits for a message.
func hangingClass(c *Case, k *explain.OpenCall) string {
	if !ignoresTimeout(c.history.Header, k) {
		return verdict.EndlessCall
	}
	sent := c.trace.SentWithin(k.Process, k.From, k.To)
	left := deadlockRule{c}.keptBy(c.waits().lock(k.Key), k.Since, k.To)
	switch {
	case left != nil && mayStay(c, left):
		return ""
	case len(sent) > 0 && trace.Listens(sent[len(sent)-1]):
		return verdict.MissedWake
	}
	return verdict.EndlessCall
}

// mayStay reports whether a key that was left behind may outlive the longest lease.
func mayStay(c *Case, left *explain.Leftover) bool {
	if left.LifeUnknown {
		return !c.history.Header.Declares.Lease
	}
	return left.Expiry <= 0 || left.Expiry > left.Lease
}

// ownError returns the latest error that a command of an acquire call for the lock got as its
// answer within a time, or nil. last reports whether every one of these calls had this reply as its
// last answer.
func ownError(c *Case, l *record.Lock, from, to int64) (latest *history.Command, last bool) {
	var ends []*history.Command
	for _, k := range l.Calls {
		if k.To < from {
			continue
		}
		served := slices.DeleteFunc(slices.Clone(c.waits().commandsOf(k)),
			func(m *history.Command) bool { return m.Sent > to || !trace.Served(m) })
		for _, m := range served {
			late := latest == nil || m.Recv > latest.Recv
			if !trace.Answered(m) && m.Recv >= from && late {
				latest = m
			}
		}
		ends = append(ends, served[max(0, len(served)-1):]...)
	}
	return latest, latest != nil && !slices.ContainsFunc(ends, func(m *history.Command) bool {
		return m.Reply != latest.Reply
	})
}

// whoHad names the client that may have had a lock since a stamp, while others waited for it.
func (c faultTimes) whoHad(l *record.Lock, since int64) string {
	for _, k := range l.Calls {
		if k.To > since && !c.waits().definite(k) {
			return explain.Say("a call whose outcome is unknown may have had it")
		}
	}
	for _, h := range l.Holds {
		if c.Record.LeftAt(h) > since {
			return explain.Say("client %d was inside for a part of that time", h.Process)
		}
	}
	return explain.Say("no client asked for it for so long")
}

// heldTogether returns when clients had a lock that a call for this one also wanted. Such a call
// waits for the holder of the other lock, and may have this one meanwhile.
func heldTogether(c *Case, l *record.Lock) (all []record.Interval) {
	for _, other := range c.waits().locks() {
		wanted := slices.ContainsFunc(l.Calls, func(k *record.Call) bool {
			return slices.Contains(k.Keys, other.Key)
		})
		for _, h := range other.Holds {
			if wanted {
				all = append(all, record.Interval{From: h.Granting, To: c.Record.LeftAt(h)})
			}
		}
	}
	return record.Union(all)
}
