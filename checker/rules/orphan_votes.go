package rules

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// independent reports whether the lock is a majority of several servers.
func (c quorums) independent() bool { return c.history.Header.Topology == "independent" }

// arrivalSlack returns how long after the end of its call a command may arrive without counting as
// left behind. Clients of independent servers give each of them little time, so that on a busy
// machine a reply is late now and then.
func (c quorums) arrivalSlack() int64 {
	if !c.independent() {
		return 0
	}
	return int64(c.history.Header.TTL) / 10
}

// controlled reports whether only a fault or a slow machine can keep a command from its answer.
// This is true in the environments that lockbench makes. If clients wait only a moment for each of
// several servers, a slow machine is the more likely reason in any environment.
func (c quorums) controlled() bool {
	return c.independent() || slices.Contains([]string{"process", "docker", "sim"},
		c.history.Header.Environment)
}

// slow reports whether a slow machine alone may explain a refusal: in the lease before it, commands
// to the same server for the same key had no answer, and no fault could have held any of them back.
// Without a lease, a leftover stays, unless the key is known to be of another command.
func (c quorums) slow(lock int, m *history.Command) bool {
	since := m.Sent - c.waits().longestLease()
	if !c.history.Header.Declares.Lease {
		since = 0
	}
	all := trace.SentSince(c.lostCommands()[trace.PlaceOf(m)], since)
	last := sort.Search(len(all), func(i int) bool { return all[i].Sent > m.Sent })
	return last > 0 && !slices.ContainsFunc(all[:last], c.struckCommand) &&
		!c.excuses().anothers(m, all[:last])
}

// lostCommands returns the commands without an answer, by place, in the order of sending.
func (c quorums) lostCommands() map[trace.Place][]*history.Command {
	if c.unread == nil {
		c.unread = map[trace.Place][]*history.Command{}
		for _, m := range c.trace.Unanswered() {
			c.unread[trace.PlaceOf(m)] = append(c.unread[trace.PlaceOf(m)], m)
		}
	}
	return c.unread
}

// struckCommand reports whether a fault may have kept a command or its reply.
func (c quorums) struckCommand(m *history.Command) bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool { return f.Delays(m) })
}

// outvoted returns the refusals of one attempt by so many independent servers that it could not
// have been granted, or nil. A key on fewer of them keeps no client out.
func (c quorums) outvoted(refusals []*history.Command) []*history.Command {
	masters := c.history.Header.Masters
	byProcess := map[int][]*history.Command{}
	for _, m := range refusals {
		byProcess[m.Process] = append(byProcess[m.Process], m)
	}
	for _, p := range slices.Sorted(maps.Keys(byProcess)) {
		for _, ms := range c.attempts(byProcess[p]) {
			if len(ms) >= masters-masters/2 {
				return ms
			}
		}
	}
	return nil
}

// attempts groups refusals of one client by different servers that it asked for the same key and
// value, each once.
func (c quorums) attempts(ms []*history.Command) (out [][]*history.Command) {
	slices.SortStableFunc(ms, func(a, b *history.Command) int { return cmp.Compare(a.Sent, b.Sent) })
	for _, m := range ms {
		if n := len(out) - 1; n >= 0 && c.together(out[n], m) {
			out[n] = append(out[n], m)
			continue
		}
		out = append(out, []*history.Command{m})
	}
	return out
}

// together reports whether a client asked a server in the same attempt as others: it sent the same
// command with the same value, and to no server twice since the first one.
func (c quorums) together(attempt []*history.Command, m *history.Command) bool {
	first, asked := attempt[0], map[string]bool{}
	if !slices.Equal(first.Args, m.Args) || first.N != m.N {
		return false
	}
	for _, o := range c.trace.SentWithin(m.Process, first.Sent, m.Sent) {
		if !slices.Equal(o.Args, m.Args) {
			continue
		}
		if asked[o.Node] {
			return false
		}
		asked[o.Node] = true
	}
	return true
}

// mayContend reports whether contention alone may keep clients from the lock in a quiet time:
// independent servers may vote for different clients, and clients may have different ones of
// several locks. If live clients have too few votes for the lock, a dead client has the others.
func (c quorums) mayContend(l *record.Lock, q record.Interval) bool {
	if slices.ContainsFunc(l.Calls, func(k *record.Call) bool {
		return len(k.Keys) > 1 && k.From < q.To && q.From < k.To
	}) {
		return true
	}
	if !c.independent() {
		return false
	}
	return len(c.trace.Commands) == 0 || len(c.votes(l, q)) > c.history.Header.Masters/2
}

// votes returns the last client that each independent server gave the lock in a quiet time.
func (c quorums) votes(l *record.Lock, q record.Interval) (out []explain.Vote) {
	if !c.independent() {
		return nil
	}
	given := map[string]int{}
	for _, m := range trace.SentSince(c.trace.OfLock(l.Key), q.From) {
		if m.Sent >= q.To {
			break
		}
		if c.trace.MayTake(m) {
			given[m.Node] = m.Process
		}
	}
	for _, node := range slices.Sorted(maps.Keys(given)) {
		out = append(out, explain.Vote{Node: node, Process: given[node]})
	}
	return out
}
