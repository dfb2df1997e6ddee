package rules

import (
	"slices"
	"sort"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// A client may sleep at a free lock because the lock did not wake it. If the trace of a single
// server shows that the key is absent, no pause of that time says how long clients may sleep.

// absence says since when the key of a lock has been absent, from when a command was sent on.
type absence struct {
	sent int64
	free bool
	from int64 // the latest answer of all commands that showed it absent after it had been there
}

// absent reports whether the trace shows that the key of a lock is free for all of a time: it was
// deleted or not found before, and no command can have written it since.
func (c waits) absent(lock int, q record.Interval) bool {
	if c.quorums().independent() || !c.trace.Named() || c.replaced() {
		return false
	}
	all := c.absences.get(lock, func(int) []absence { return absencesOf(c, lock) })
	i := sort.Search(len(all), func(i int) bool { return all[i].sent >= q.To })
	return i > 0 && all[i-1].free && all[i-1].from <= q.From
}

// absencesOf goes through the commands of a lock.
func absencesOf(c waits, lock int) (all []absence) {
	var a absence
	since := int64(0)
	for _, m := range c.trace.OfLock(lock) {
		switch {
		case c.trace.Deleted(m) || c.trace.FindsNone(m):
			if !a.free {
				a.from = max(a.from, m.Recv)
			}
			a.free, since = true, max(since, m.Recv)
		case trace.Silent(m) && m.Sent < since, c.trace.Denied(m) && m.Sent < since:
		default:
			a.free = false
		}
		a.sent = m.Sent
		all = append(all, a)
	}
	return all
}

// replaced reports whether a fault replaced a server with another one.
func (c waits) replaced() bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool { return replaces(&f) })
}

// pauseElsewhere returns the longest pause of clients outside of a time when the key is absent. It
// returns 0 if no other call had to wait: then it is unknown how soon a client comes back.
func (c waits) pauseElsewhere(q record.Interval) (longest int64) {
	outside := func(from, to int64) bool { return to <= q.From || from >= q.To }
	if !slices.ContainsFunc(c.Record.Calls, func(k record.Call) bool {
		return outside(k.From, k.To) && c.waited(&k)
	}) {
		return 0
	}
	for _, p := range c.seenPauses() {
		if outside(p.From, p.To) {
			longest = max(longest, p.To-p.From)
		}
	}
	return longest
}

// waited reports whether a call that is over was refused and then tried again.
func (c waits) waited(k *record.Call) bool {
	ms := c.commandsOf(k)
	first := slices.IndexFunc(ms, c.trace.Denied)
	return first >= 0 && first < len(ms)-1 && (k.Outcome == history.OK || k.Denied())
}

// sleeping returns until when a refused call wanted the lock: it returned by itself, and the key
// was absent then, or there all the time. The times when a scenario keeps clients standing are
// disturbances.
func (c waits) sleeping(k *record.Call, to int64) int64 {
	if !k.Denied() {
		return to
	}
	absent := len(c.faults) == 0 && c.absent(k.Keys[0], record.Interval{From: k.To, To: k.To})
	if absent || present(c, k.Keys[0], record.Interval{From: to, To: k.To}) {
		return k.To
	}
	return to
}

// A client may sleep while another's key is there: the lock told it for how long, or no message has
// woken it. If the trace of a single server shows that the key stayed, a try in that time would
// have been refused, so the sleep counts as waiting.

// present reports whether the trace shows that the key of a lock was there for all of a time.
func present(c waits, lock int, q record.Interval) bool {
	if c.quorums().independent() || !c.trace.Named() || c.replaced() {
		return false
	}
	all := c.presences.get(lock, func(int) []record.Interval { return presencesOf(c, lock) })
	i := sort.Search(len(all), func(i int) bool { return all[i].To >= q.To })
	return i < len(all) && all[i].From <= q.From
}

// presencesOf returns the times from one refusal by a key that grants locks to another, without a
// command between the two that may have freed or taken the key.
func presencesOf(c waits, lock int) (all []record.Interval) {
	there, changed, granting := false, int64(0), orphanRule(c).grantingKeys()
	for _, m := range c.trace.OfLock(lock) {
		refused := c.trace.Denied(m)
		switch found := refused && orphanRule(c).isLocks(m, granting); {
		case found && there:
			all[len(all)-1].To = m.Sent
		case found && m.Sent >= changed:
			all, there = append(all, record.Interval{From: m.Recv, To: m.Recv}), true
		case refused, trace.Silent(m), c.trace.Renews(m):
		default:
			there, changed = false, max(changed, lastAnswer(m))
		}
	}
	return all
}
