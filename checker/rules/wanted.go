package rules

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/history"
)

// lockTimes are the holds of one lock, by the stamp of the grant, and the acquire calls for it.
type lockTimes struct {
	key   int
	holds []*record.Hold
	calls []*record.Call
}

// locks returns the times of all locks that a client asked for, by number.
func (c *Case) locks() (out []lockTimes) {
	all := map[int]*lockTimes{}
	of := func(key int) *lockTimes {
		if all[key] == nil {
			all[key] = &lockTimes{key: key}
		}
		return all[key]
	}
	for i := range c.Record.Calls {
		for _, key := range c.Record.Calls[i].Keys {
			of(key).calls = append(of(key).calls, &c.Record.Calls[i])
		}
	}
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
		of(h.Key).holds = append(of(h.Key).holds, h)
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		out = append(out, *all[key])
	}
	return out
}

// want is a time in which a client had an acquire call open that the servers answered.
type want struct {
	From, To int64
	process  int
	whole    bool // its commands are not known, so that it counts only if it is over
}

// wants are in the order in which they begin.
type wants []want

// wanted returns when clients wanted the lock. Of a call whose commands are known only the time
// between its first and its last answer counts: before and after, a client may be kept standing.
func (c *Case) wanted(l *lockTimes) (out wants) {
	granted := map[[2]int]int64{}
	for _, h := range l.holds {
		granted[[2]int{h.Process, h.N}] = h.Granting
	}
	for _, k := range l.calls {
		if from, to, ok := c.wantedBy(k, granted); ok && from < to {
			out = append(out, want{from, to, k.Process, len(c.trace.Commands) == 0})
		}
	}
	slices.SortFunc(out, byBegin)
	return out
}

func byBegin(a, b want) int { return cmp.Compare(a.From, b.From) }

// wantedBy returns the time in which a call certainly wanted the lock, and whether there is one.
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
		at, outermost := granted[[2]int{k.Process, k.N}]
		if !outermost {
			return 0, 0, false
		}
		until = at
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
		if m.Recv == 0 && k.Outcome == history.Invoke {
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
	if limit == 0 || k.To-k.From < 2*limit {
		return false
	}
	if bound, known := c.bound(); !known || k.To-k.From < 2*limit+bound {
		return false
	}
	since := k.From + limit
	return slices.ContainsFunc(c.trace.Commands, func(m history.Command) bool {
		return m.Sent > since && m.Recv != 0 && m.Recv < k.To && trace.Answered(&m)
	})
}

// within returns what of the times lies inside of a quiet one.
func (w wants) within(q record.Interval) (out wants) {
	for _, x := range w {
		late := x.whole && x.To > q.To // it may have been refused for what came after
		x.From, x.To = max(x.From, q.From), min(x.To, q.To)
		if x.From < x.To && !late {
			out = append(out, x)
		}
	}
	return out
}

// process is the client that wanted the lock at a stamp.
func (w wants) process(t int64) int {
	i := slices.IndexFunc(w, func(x want) bool { return x.From <= t && t <= x.To })
	return w[max(i, 0)].process
}

// lasts reports whether the lock was wanted for a time, by whichever client, and from when to when
// that was. What lost takes of the times of a client does not count.
func (w wants) lasts(need int64, lost func(process int) []record.Gap) (from, to int64, ok bool) {
	var pieces []record.Interval
	for _, x := range w {
		at := x.From
		if lost != nil {
			gaps := lost(x.process)
			i := sort.Search(len(gaps), func(i int) bool { return gaps[i].To > x.From })
			for ; i < len(gaps) && gaps[i].From < x.To; i++ {
				if gaps[i].From > at {
					pieces = append(pieces, record.Interval{From: at, To: gaps[i].From})
				}
				at = max(at, gaps[i].To)
			}
		}
		if at < x.To {
			pieces = append(pieces, record.Interval{From: at, To: x.To})
		}
	}
	return union(pieces, need)
}

// covered is for how long at least one of the times lasted.
func (w wants) covered() (sum int64) {
	over := int64(0)
	for _, x := range w { // by begin
		if x.To > over {
			sum += x.To - max(x.From, over)
			over = x.To
		}
	}
	return sum
}

// union reports whether intervals cover a time, and from when to when that was.
func union(pieces []record.Interval, need int64) (from, to int64, ok bool) {
	record.SortIntervals(pieces)
	covered, over := int64(0), int64(0)
	for i, x := range pieces {
		if i == 0 {
			from, over = x.From, x.From
		}
		if x.To > over {
			covered += x.To - max(x.From, over)
			over = x.To
		}
		if covered >= need {
			return from, over, true
		}
	}
	return 0, 0, false
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
