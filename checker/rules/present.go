package rules

import (
	"sort"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
)

// A client may sleep while another's key is there: the lock told it for how long, or no message has
// woken it. If the trace of a single server shows that the key stayed, a try in that time would
// have been refused, so the sleep counts as waiting.

// present reports whether the trace shows that the key of a lock was there for all of a time.
func present(c waits, lock int, q record.Interval) bool {
	if c.quorums().independent() || !c.trace.Named() || c.replaced() {
		return false
	}
	all := c.presences.of(lock, func(int) []record.Interval { return presencesOf(c, lock) })
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
