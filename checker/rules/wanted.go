package rules

import (
	"cmp"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules/progress"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// waits finds the clients that wait for a lock, and how long they may wait.
type waits struct{ *Case }

func (c *Case) waits() waits { return waits{c} }

// locks returns the times of all locks that a client asked for, by number.
func (c waits) locks() []record.Lock {
	if c.perLock == nil {
		c.perLock = c.Record.Locks()
	}
	return c.perLock
}

// lock returns the times of one of them.
func (c waits) lock(key int) *record.Lock {
	ls := c.locks()
	i, _ := slices.BinarySearchFunc(ls, key, func(l record.Lock, key int) int {
		return cmp.Compare(l.Key, key)
	})
	return &ls[i]
}

// wants returns when clients wanted the lock. Of a call whose commands are known only the time
// between its first and its last answer counts: before and after, a client may be kept standing. A
// client whose call failed although it was answered wants the lock until it calls again.
func (c waits) wants(l *record.Lock) progress.Wants {
	granted := map[[2]int]int64{}
	for _, h := range l.Holds {
		granted[[2]int{h.Process, h.N}] = h.Granting
	}
	var out []progress.Want
	failed := map[int]int{} // by client: its want that ended with an error
	for _, k := range l.Calls {
		from, to, ok := c.wantedBy(k, granted)
		if i, is := failed[k.Process]; is && from-out[i].To <= int64(grace) {
			out[i].To = max(out[i].To, from) // a call that was not answered has no from
		}
		delete(failed, k.Process)
		if !ok {
			continue
		}
		if returnsError(k) {
			failed[k.Process] = len(out)
		}
		out = append(out, progress.Want{From: from, To: to, Process: k.Process,
			Whole: len(c.trace.Commands) == 0})
	}
	return progress.Sort(out)
}

// returnsError reports whether a call came back and said neither that it was granted the lock nor
// that the lock is another's.
func returnsError(k *record.Call) bool {
	return k.Outcome == history.Info ||
		k.Outcome == history.Fail && !k.Denied() && k.Why != history.Unreachable
}

// wantedBy returns the time when a call certainly wanted the lock, and whether there is one. The
// time of a granted call ends with the granting command. An inner acquisition has none: its client
// held the lock already.
func (c waits) wantedBy(k *record.Call, granted map[[2]int]int64) (from, to int64, ok bool) {
	if len(c.trace.Commands) == 0 {
		return k.From, k.To, k.Denied()
	}
	if returnsError(k) && len(c.commandsOf(k)) == 0 {
		return k.From, k.To, true // it did not even ask
	}
	until := k.To
	if k.Outcome == history.OK {
		until = granted[[2]int{k.Process, k.N}]
	}
	if from, to, ok = c.answered(k, until); ok {
		to = c.sleeping(k, to)
	}
	return from, to, ok
}

// answered returns the time between the first command of a call and the last reply until a stamp,
// after the latest command that no server answered, and whether there is such a time.
func (c waits) answered(k *record.Call, until int64) (from, to int64, ok bool) {
	for _, m := range c.commandsOf(k) {
		if m.Sent >= until {
			break
		}
		if !trace.Served(m) {
			from, to = 0, 0
			continue
		}
		if to == 0 {
			from = m.Sent
		}
		to = max(to, m.Recv)
	}
	if k.Outcome == history.OK && to != 0 {
		to = until
	}
	return from, to, to != 0
}

// definite reports whether the record tells how a call ended: its outcome, or the replies to all of
// its commands.
func (c waits) definite(k *record.Call) bool {
	if !k.Unsure() {
		return true
	}
	return k.Outcome == history.Info && len(c.trace.Commands) > 0 &&
		!slices.ContainsFunc(c.commandsOf(k), func(m *history.Command) bool {
			return m.Recv == 0 || m.Err != ""
		})
}

// grace is how long a client may rest after a failed call and still want the lock.
const grace = time.Second

// bound returns the time after which some client must have been granted a free lock. It is the sum
// of the longest lease, two of the longest pauses between tries (declared, or else observed), the
// wait for dead waiters that the lock declares, and a second. It is unknown if no pause is known.
func (c waits) bound() (ns int64, known bool) {
	if c.pause == nil {
		longest := c.declaredPause()
		if longest == 0 {
			longest = c.seenPauses().longest()
		}
		if longest == 0 {
			longest = c.betweenCalls()
		}
		c.pause = &longest
	}
	return c.boundFor(*c.pause, record.Forever), *c.pause > 0
}

// boundWithin returns the bound for a time when no client was granted the lock. A pause does not
// count if the lock itself may have caused it: see pauses.longestOutside and pauseElsewhere.
func (c waits) boundWithin(lock int, q record.Interval) (ns int64, known bool) {
	pause := c.declaredPause()
	if pause == 0 {
		pause = c.seenWithout(lock, q)
	}
	return c.boundFor(pause, q.To), pause > 0
}

// seenWithout returns the longest observed pause, without pauses in q that the lock itself may have
// caused. It returns 0 if none is known.
func (c waits) seenWithout(lock int, q record.Interval) int64 {
	if len(c.seenPauses()) == 0 {
		return c.betweenCalls()
	}
	if c.absent(lock, q) {
		return c.pauseElsewhere(q)
	}
	return cmp.Or(c.seenPauses().longestOutside(q), c.betweenCalls())
}

// boundFor returns the bound with a pause between tries. Each client that ended before a stamp,
// while it waited, may have kept a place in a queue.
func (c waits) boundFor(pause, until int64) int64 {
	d := c.history.Header.Declares
	bound := d.GrantBound(history.Duration(c.longestLease()), history.Duration(pause),
		len(c.faults) > 0) - d.DeadWaiters
	return int64(bound + history.Duration(max(c.deadWaiters(until), 1))*d.DeadWaiters)
}

// declaredPause returns the longest pause between tries that the lock or its manifest declares, or
// 0. If the lock tells a waiter how long to wait, that is at most a lease, and the bound includes
// it.
func (c waits) declaredPause() int64 {
	return int64(c.history.Header.Declares.PauseOr(c.history.Header.Poll))
}

// longestLease returns the longest lease of the header and the grants.
func (c waits) longestLease() int64 {
	if c.longest != nil {
		return *c.longest
	}
	ttl := int64(c.history.Header.TTL)
	for i := range c.history.Events {
		if g := c.history.Events[i].Grant; g != nil {
			ttl = max(ttl, int64(g.Lease))
		}
	}
	c.longest = &ttl
	return ttl
}

// seenPauses returns the times between the reply to one command of an acquire call and its next
// command, without the times when the client was kept from running. The time for which a client
// waits in a command, such as BLPOP, is part of a pause.
func (c waits) seenPauses() pauses {
	if c.pauses != nil {
		return c.pauses
	}
	c.pauses = pauses{}
	for i := range c.Record.Calls {
		c.pauses = append(c.pauses, c.pausesOf(&c.Record.Calls[i])...)
	}
	return c.pauses
}

// pausesOf returns the pauses of one call.
func (c waits) pausesOf(k *record.Call) (out pauses) {
	over, blocked := int64(record.Forever), false
	for _, m := range c.commandsOf(k) {
		if m.Sent > over && !c.wasStopped(k.Process, over, m.Sent) {
			out = append(out, pause{record.Interval{From: over, To: m.Sent, Process: k.Process}, blocked})
		}
		if over == record.Forever {
			over = 0
		}
		over = max(over, m.Sent)
		if blocked = trace.Blocks(m); !blocked {
			over = max(over, m.Recv)
		}
	}
	return out
}

// betweenCalls returns the longest time from the return of a refused call to the client's next one.
// If a call of the lock tries once, that is the pause between two tries.
func (c waits) betweenCalls() (longest int64) {
	refused := map[int]int64{} // by client: when
	for i := range c.Record.Calls {
		k := &c.Record.Calls[i]
		if since, ok := refused[k.Process]; ok && !c.wasStopped(k.Process, since, k.From) {
			longest = max(longest, k.From-since)
		}
		if delete(refused, k.Process); k.Denied() {
			refused[k.Process] = k.To
		}
	}
	return longest
}

// wasStopped reports whether a client did not run for some of a time.
func (c waits) wasStopped(process int, from, to int64) bool {
	for i := range c.faults {
		if f := &c.faults[i]; f.Hits(process) && f.From < to && from < f.To {
			return true
		}
	}
	for _, g := range c.Record.Gaps {
		if g.Process == process && g.From < to && from < g.To {
			return true
		}
	}
	return false
}

// commandsOf returns the commands that an acquire call sent, in order.
func (c waits) commandsOf(k *record.Call) []*history.Command {
	sent := c.trace.SentWithin(k.Process, k.From, k.To)
	renews := func(m *history.Command) bool { return m.N != 0 && m.N != k.N } // an earlier hold
	if !slices.ContainsFunc(sent, renews) {
		return sent
	}
	return slices.DeleteFunc(slices.Clone(sent), renews)
}
