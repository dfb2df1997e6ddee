package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// A client may sleep at a free lock because the lock did not wake it. If the trace of a single
// server shows that the key is absent, no pause of that time says how long clients may sleep.

// absent reports whether the trace shows that the key of a lock is free for all of a time: it was
// deleted or not found before, and no command can have written it since.
func (c waits) absent(lock int, q record.Interval) bool {
	if c.quorums().independent() || !c.trace.Named() || c.replaced() {
		return false
	}
	free, since := false, int64(0)
	for _, m := range c.trace.OfLock(lock) {
		switch {
		case m.Sent >= q.To:
			return free
		case c.trace.Deleted(m) || c.trace.FindsNone(m):
			if !free && m.Recv > q.From {
				return false
			}
			free, since = true, max(since, m.Recv)
		case trace.Silent(m) && m.Sent < since, c.trace.Denied(m) && m.Sent < since:
		default:
			free = false
		}
	}
	return free
}

// replaced reports whether a fault replaced a server with another one.
func (c waits) replaced() bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool { return replaces(&f) })
}

// pauseElsewhere returns the longest pause of clients outside of a time when the key is absent. It
// returns 0 if no other call had to wait: then it is unknown how soon a client comes back.
func (c waits) pauseElsewhere(q record.Interval) (longest int64) {
	waited := false
	for i := range c.Record.Calls {
		k := &c.Record.Calls[i]
		for _, p := range c.pausesOf(k) {
			if p.To <= q.From || p.From >= q.To {
				longest = max(longest, p.To-p.From)
			}
		}
		waited = waited || (k.To <= q.From || k.From >= q.To) && c.waited(k)
	}
	if !waited {
		return 0
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
// was absent then. A scenario may keep a client paused.
func (c waits) sleeping(k *record.Call, to int64) int64 {
	plain := c.history.Header.Nemesis == "" || c.history.Header.Nemesis == "none"
	if plain && len(c.faults) == 0 && k.Denied() &&
		c.absent(k.Keys[0], record.Interval{From: k.To, To: k.To}) {
		return k.To
	}
	return to
}
