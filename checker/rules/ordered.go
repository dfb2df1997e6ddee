package rules

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// ordered adds a command that deleted the first holder's key in some of the possible orders of
// execution on the server. It is certain if it did so in all of them.
func (w *chain) ordered(m, ga *history.Command, orders *trace.Orders) {
	mine, others := 0, 0
	for victim := range orders.Hits[m] {
		if victim != nil && (victim == ga || w.ofOwner(victim) && victim.Sent >= ga.Sent) {
			mine++
		} else {
			others++
		}
	}
	if mine == 0 {
		return
	}
	d := command{Command: *m, Kind: verdict.ForeignDelete}
	late := w.late(m, ga)
	sure := w.trace.Deleted(m) || mustBe(orders, ga, trace.Ending{How: trace.ByDeletion, By: m})
	switch {
	case w.ofOwner(m) && m.Sent >= ga.Recv:
		d.Kind, d.Unsure = verdict.OwnDelete, others > 0 || !sure
	case late && !trace.Answered(m):
		d.Kind = verdict.LateDelete
	case others > 0 || !sure:
		d.Kind, d.Effect = verdict.PossibleDelete, explain.DeletedOf(w.pair.A.Process, false, late)
	case late:
		d.Kind = verdict.LateDelete
	case w.ofOwner(m):
		d.Kind = verdict.OwnDelete
	}
	if w.ofOwner(m) {
		d.Effect = explain.Deletes(d)
	} else {
		w.means(w.releasedBy(m), m)
	}
	if d.Effect == "" {
		d.Effect = explain.DeletesOf(d, w.pair.A.Process)
	}
	w.put(d)
}

// mustBe reports whether the value that a command wrote was gone in one way in all orders.
func mustBe(orders *trace.Orders, ga *history.Command, e trace.Ending) bool {
	ends := orders.Ends[ga]
	return len(ends) == 1 && ends[e]
}

// wroteOver reports whether a command wrote over the value of the first holder: it did so in all
// orders, or it is the second holder's.
func (w *chain) wroteOver(m, ga *history.Command, orders *trace.Orders) bool {
	if orders == nil {
		return m.Process == w.pair.B.Process
	}
	return mustBe(orders, ga, trace.Ending{How: trace.ByWrite, By: m})
}

// ordersAt returns the orders of the commands on the server of the first holder's grant, or nil.
func (w *chain) ordersAt(node string, ga *history.Command) *trace.Orders {
	if node != ga.Node {
		return nil
	}
	return ordersOf(w.Case, ga, cmp.Or(w.next[node], w.gb))
}

// votesByNode returns the commands that granted a hold, by server.
func votesByNode(c *Case, h *record.Hold) map[string]*history.Command {
	votes, ofGrant := map[string]*history.Command{}, c.ofGrant(h)
	for _, m := range c.lastThat(h, func(m *history.Command) bool {
		return ofGrant(m) && (c.trace.Takes(m) || c.trace.Deleted(m) || c.trace.Refused(m))
	}) {
		if c.trace.Takes(m) {
			votes[m.Node] = m
		}
	}
	return votes
}

// nodesOf returns the servers of votes, sorted.
func nodesOf(votes map[string]*history.Command) []string {
	return slices.Sorted(maps.Keys(votes))
}

// answeredOnly returns a pair that names the server of a grant only if it answered a command of the
// call, provided that the trace shows the commands of the call.
func answeredOnly(c *Case, p *record.Pair) *record.Pair {
	q := *p
	for _, h := range []**record.Hold{&q.A, &q.B} {
		tries := c.trace.Tries(*h)
		known := len(tries) > 0 || asksNoServer(c)
		if known && !slices.ContainsFunc(tries, func(m *history.Command) bool {
			return m.Node == (*h).Node && trace.Answered(m)
		}) {
			silent := **h
			silent.Node = ""
			*h = &silent
		}
	}
	return &q
}
