package rules

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules/progress"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/history"
)

// locks returns the times of all locks that a client asked for, by number.
func (c *Case) locks() []record.Lock {
	if c.perLock == nil {
		c.perLock = c.Record.Locks()
	}
	return c.perLock
}

// lock returns the times of one of them.
func (c *Case) lock(key int) *record.Lock {
	ls := c.locks()
	i, _ := slices.BinarySearchFunc(ls, key, func(l record.Lock, key int) int {
		return cmp.Compare(l.Key, key)
	})
	return &ls[i]
}

// wanted returns when clients wanted the lock. Of a call whose commands are known only the time
// between its first and its last answer counts: before and after, a client may be kept standing.
func (c *Case) wanted(l *record.Lock) progress.Wants {
	granted := map[[2]int]int64{}
	for _, h := range l.Holds {
		granted[[2]int{h.Process, h.N}] = h.Granting
	}
	var out []progress.Want
	for _, k := range l.Calls {
		if from, to, ok := c.wantedBy(k, granted); ok {
			out = append(out, progress.Want{From: from, To: to, Process: k.Process,
				Whole: len(c.trace.Commands) == 0})
		}
	}
	return progress.Sort(out)
}

// wantedBy returns the time in which a call certainly wanted the lock, and whether there is one. Of
// a call that was granted it ends with the granting command. An inner acquisition has none: its
// client held the lock already.
func (c *Case) wantedBy(k *record.Call, granted map[[2]int]int64) (from, to int64, ok bool) {
	if c.hangs(k) {
		return k.From + int64(c.history.Header.AcquireTimeout), k.To, true
	}
	traced := len(c.trace.Commands) > 0
	if !traced {
		return k.From, k.To, k.Denied()
	}
	until := k.To
	if k.Outcome == history.OK {
		until = granted[[2]int{k.Process, k.N}]
	} else if k.Outcome == history.Fail && !k.Denied() {
		return 0, 0, false
	}
	return c.answered(k, until)
}

// answered returns the time between the first command of a call and the last reply until a stamp,
// and whether all that was sent in it had a definite answer by a server that executed it.
func (c *Case) answered(k *record.Call, until int64) (from, to int64, ok bool) {
	for _, m := range c.commandsOf(k) {
		if m.Sent >= until {
			break
		}
		if !trace.Answered(m) {
			return 0, 0, false
		}
		if from == 0 {
			from = m.Sent
		}
		to = max(to, m.Recv)
	}
	if k.Outcome == history.OK && to != 0 {
		to = until
	}
	return from, to, to != 0
}

// definite reports whether the record tells what became of a call: its outcome, or all replies to
// what it sent.
func (c *Case) definite(k *record.Call) bool {
	if !k.Unsure() {
		return true
	}
	ms := c.commandsOf(k)
	return k.Outcome == history.Info && len(ms) > 0 &&
		!slices.ContainsFunc(ms, func(m *history.Command) bool { return m.Recv == 0 || m.Err != "" })
}

// hangs reports whether a call outlived its own time-out by far although servers answered: by as
// much again, and the bound.
func (c *Case) hangs(k *record.Call) bool {
	limit := int64(c.history.Header.AcquireTimeout)
	bound, _ := c.bound()
	return limit != 0 && k.To-k.From >= 2*limit+bound && c.trace.AnsweredWithin(k.From+limit, k.To)
}

// grace is what a client is given beyond leases and pauses until it must have been granted a free
// lock.
const grace = time.Second

// bound is the time after which some client must have been granted a free lock: the longest lease,
// two of the longest pauses between tries that were declared or seen, the wait for dead waiters
// that the lock declares, and a second. It is not known where no pause is.
func (c *Case) bound() (ns int64, known bool) {
	if c.pause == nil {
		longest := max(int64(c.history.Header.Poll), c.longestPause())
		if longest == 0 {
			longest = c.betweenCalls()
		}
		c.pause = &longest
	}
	pause := *c.pause
	return c.longestLease() + 2*pause + int64(c.history.Header.Declares.DeadWaiters) + int64(grace),
		pause > 0
}

// longestLease is that of the header, or of a grant.
func (c *Case) longestLease() int64 {
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

// longestPause is the longest time between the reply to one command of an acquire call and the next
// command of this call, without those in which the client was kept from running.
func (c *Case) longestPause() (longest int64) {
	for i := range c.Record.Calls {
		k := &c.Record.Calls[i]
		ms := c.commandsOf(k)
		over := int64(record.Forever)
		for _, m := range ms {
			if m.Sent-over > longest && !c.kept(k.Process, over, m.Sent) {
				longest = m.Sent - over
			}
			if over == record.Forever {
				over = 0
			}
			over = max(over, m.Sent, m.Recv)
		}
	}
	return longest
}

// betweenCalls is the longest time from the return of a refused call to the client's next one. Of a
// lock that tries once in a call that is the pause between two tries.
func (c *Case) betweenCalls() (longest int64) {
	refused := map[int]int64{} // by client: when
	for i := range c.Record.Calls {
		k := &c.Record.Calls[i]
		if since, ok := refused[k.Process]; ok && !c.kept(k.Process, since, k.From) {
			longest = max(longest, k.From-since)
		}
		if delete(refused, k.Process); k.Denied() {
			refused[k.Process] = k.To
		}
	}
	return longest
}

// kept reports whether a client did not run for some of a time.
func (c *Case) kept(process int, from, to int64) bool {
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
func (c *Case) commandsOf(k *record.Call) []*history.Command {
	sent := c.trace.Sent[k.Process]
	first := sort.Search(len(sent), func(i int) bool { return sent[i].Sent >= k.From })
	last, others := first, 0
	for ; last < len(sent) && sent[last].Sent <= k.To; last++ {
		if !mine(k, sent[last]) {
			others++ // renewals of what the client has already
		}
	}
	if others == 0 {
		return sent[first:last]
	}
	var out []*history.Command
	for _, m := range sent[first:last] {
		if mine(k, m) {
			out = append(out, m)
		}
	}
	return out
}

func mine(k *record.Call, m *history.Command) bool { return m.N == 0 || m.N == k.N }
