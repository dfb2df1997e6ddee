package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules/leftover"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// This file says whether a fault that loses writes has lost the key of a grant, or its token.

// mayLose reports whether a fault that loses writes can have lost the first of two grants. If one
// server gave both, it lost its memory after the first. It lost nothing if the first holder's key
// was still on the server of the second grant when the fault was over, or if no order of the
// commands lets a fault end that key.
func (c classifier) mayLose(f *record.Fault, a, b *record.Hold) bool {
	switch {
	case c.quorums().independent():
		return mayLoseVote(c.Case, f, a, b)
	case keptThrough(c.Case, f, a, b), c.endedOtherwise(a, b):
		return false
	}
	return mayForget(c.Case, f, a, b)
}

// mayForget reports whether a fault that ends after the first of two grants was taken hit their
// server since. A server that is killed executes nothing until the fault is over, but one that is
// flushed may execute the first grant just before.
func mayForget(c *Case, f *record.Fault, a, b *record.Hold) bool {
	taken := firstTaken(c, a, b)
	return a.Node == "" || a.Node != b.Node ||
		(f.From >= taken || f.Action == nemesis.Flush) &&
			(len(f.Servers()) == 0 || slices.Contains(f.Servers(), a.Node))
}

// firstTaken returns when the client sent the command that took the key for the first of two holds.
// If both commands were under way at once, the server may have executed the second one first.
func firstTaken(c *Case, a, b *record.Hold) int64 {
	ga, gb := c.trace.GrantOf(a), c.trace.GrantOf(b)
	if ga != nil && gb != nil && gb.Sent < ga.Recv {
		return min(takenAt(c, a), takenAt(c, b))
	}
	return takenAt(c, a)
}

// takenAt returns when the client sent the command that took the key of a hold. A lock may take the
// key with one command and set its lease with the next. Its client counts the lease from the
// second.
func takenAt(c *Case, h *record.Hold) int64 {
	if m := c.trace.GrantOf(h); m != nil {
		return min(h.Granting, m.Sent)
	}
	return h.Granting
}

// mayLoseVote reports whether a fault of one of several masters can have lost a vote of the first
// grant that the second one needed. A promotion replaces a master: the fault names the new one, so
// the votes of the first grant and of the second are on two servers.
func mayLoseVote(c *Case, f *record.Fault, a, b *record.Hold) bool {
	votes, next := votesByNode(c, a), votesByNode(c, b)
	if slices.ContainsFunc(c.faults, func(f record.Fault) bool { return replaces(&f) }) {
		next = nil
	}
	for node, m := range votes {
		hit := replaces(f) || len(f.Servers()) == 0 || slices.Contains(f.Servers(), node)
		if m.Sent <= f.To && hit && (len(next) == 0 || next[node] != nil) {
			return true
		}
	}
	return len(votes) == 0
}

// replaces reports whether a fault put another server in the place of a master.
func replaces(f *record.Fault) bool { return f.Promotes() || f.Action == nemesis.SwitchOver }

// keptThrough reports whether the first holder's key was on the server of the second grant after a
// fault was over: that holder prolonged it there, a client was told its value, or a client was
// refused there because of a key that only the first holder can have written.
func keptThrough(c *Case, f *record.Fault, a, b *record.Hold) bool {
	ga, gb := c.trace.GrantOf(a), c.trace.GrantOf(b)
	if ga == nil || gb == nil {
		return false
	}
	over := c.overFor(f, gb.Node)
	return slices.ContainsFunc(c.trace.OfKey(trace.Key(ga)), func(m *history.Command) bool {
		own := m.Process == a.Process && (m.N == a.N || m.N == 0) && c.trace.Renews(m)
		return m.Node == gb.Node && m.Sent >= over && m.Sent >= ga.Recv && m.Recv <= gb.Sent &&
			(own || c.quorums().tells(m, ga) || c.trace.Denied(m) && onlyWriter(c, f, ga, m))
	})
}

// overFor returns when a fault can no longer take a key from a server: when the fault is over, or
// when the server was promoted and follows no other one.
func (c *Case) overFor(f *record.Fault, node string) int64 {
	if len(f.Servers()) == 0 || slices.Contains(f.Servers(), node) {
		return f.To
	}
	for i := range c.faults {
		if g := &c.faults[i]; g.Promotes() && g.Target == node {
			return min(f.To, g.To)
		}
	}
	return f.To
}

// onlyWriter reports whether ga alone can have written its key before m was answered. A take that
// the server of ga never answered, and that was sent before the fault, found the key of ga.
func onlyWriter(c *Case, f *record.Fault, ga, m *history.Command) bool {
	if c.keyFacts().thirdParties(ga.Sent, m.Recv) || c.Record.Shared {
		return false
	}
	return !slices.ContainsFunc(c.trace.OfKey(trace.Key(ga)), func(k *history.Command) bool {
		refused := f.Action != nemesis.Flush && k.Node == ga.Node && k.Node != m.Node &&
			!trace.Answered(k) && trace.EffectOf(k.Args).Kind == trace.Take && k.Sent < f.From
		return k != ga && k.Sent <= m.Recv && leftover.Writes(c.trace, k) && !refused
	})
}

// endedOtherwise reports whether the key of the first of two grants ended without a fault in all
// possible orders of the commands on their server. The first one must be first in all of them.
func (c classifier) endedOtherwise(a, b *record.Hold) bool {
	ga, gb := c.trace.GrantOf(a), c.trace.GrantOf(b)
	if ga == nil || gb == nil || ga.Node != gb.Node {
		return false
	}
	orders := ordersOf(c.Case, ga, gb)
	if orders == nil || !orders.Precedes(ga, gb) {
		return false
	}
	for e := range orders.Ends[ga] {
		if e.How == trace.ByFault {
			return false
		}
	}
	return len(orders.Ends[ga]) > 0
}

// needsNoLoss reports whether the second grant needs no loss of the first holder's key: its command
// overwrote the key, or the first holder itself had certainly deleted the key on that server. An
// inner release counts only if no fault can have lost the key.
func needsNoLoss(c *Case, p *record.Pair, commands []command) bool {
	ga, gb := c.trace.GrantOf(p.A), c.trace.GrantOf(p.B)
	if ga == nil || gb == nil || c.quorums().independent() {
		return false
	}
	own := false
	for _, m := range certain(commands) {
		switch {
		case m.Kind == verdict.OwnDelete && m.Node == gb.Node:
			own = m.N == p.A.N || !c.keyFacts().keyMayBeLost(ga.Sent, m.Recv)
		case m.Kind == verdict.Write && m.Process == p.A.Process:
			own = false
		}
	}
	return own && ga.Node == gb.Node || writesOver(c, ga, gb, p.B)
}

// writesOver reports whether a hold was granted by a command that found the first one's count, that
// overwrites any value, or that counts whatever is there, and no earlier reply to its call showed
// another value than the first holder's.
func writesOver(c *Case, first, grant *history.Command, h *record.Hold) bool {
	if foundCounter(c, first, grant) {
		return true
	}
	if !c.trace.Overwrites(grant) && !countsOther(c, first, grant, h) {
		return false
	}
	value := trace.EffectOf(first.Args).Value
	return !slices.ContainsFunc(c.trace.SentWithin(h.Process, h.Call, grant.Sent),
		func(m *history.Command) bool {
			unasked := c.trace.WritesUnasked(m) || c.trace.CountsUnasked(m)
			return trace.Answered(m) && !c.trace.Denied(m) && !unasked && m.Reply != value
		})
}

// foundCounter reports whether both grants counted up their key, and the second found it counted.
func foundCounter(c *Case, first, grant *history.Command) bool {
	return slices.ContainsFunc(c.trace.Counters(first), func(n trace.Counter) bool {
		return n.Key == trace.Key(grant) && c.trace.CountedOn(grant, n)
	})
}

// countsOther reports whether both grants counted up fields of a hash, each its own, and nothing
// that the second client sent could show it the field of the first one.
func countsOther(c *Case, first, grant *history.Command, h *record.Hold) bool {
	after := c.trace.SentWithin(h.Process, grant.Sent, h.From)
	if slices.ContainsFunc(after, func(m *history.Command) bool {
		return !c.trace.CountsUnasked(m) && trace.EffectOf(m.Args).Kind != trace.Expire
	}) {
		return false
	}
	of := func(m *history.Command) string {
		ns := c.trace.Counters(m)
		if len(ns) != 1 || ns[0].Key != trace.Key(grant) {
			return ""
		}
		return ns[0].Field
	}
	return of(first) != "" && of(grant) != "" && of(first) != of(grant)
}

// mayLoseToken reports whether a fault that loses writes can be why the later of two grants has no
// larger token.
func mayLoseToken(c *Case, f *record.Fault, a, b *tokened) bool {
	if ownToken(c, b.Hold) || counterKept(c, f, a, b) {
		return false
	}
	return c.quorums().independent() || mayForget(c, f, a.Hold, b.Hold)
}

// ownToken reports whether the client of a hold made its token by itself: the granting command
// brought it to the server, and no reply of the call has it.
func ownToken(c *Case, h *record.Hold) bool {
	token, grant := strconv.FormatInt(h.Token, 10), c.trace.GrantOf(h)
	return len(token) >= shortestValue && grant != nil && slices.Contains(grant.Args, token) &&
		!slices.ContainsFunc(c.trace.SentWithin(h.Process, h.Call, h.From),
			func(m *history.Command) bool { return strings.Contains(m.Reply, token) })
}

// counterKept reports whether the counter that gave the later token was still there after a fault:
// its server counted on from the earlier token, or beyond, before it gave the later one.
func counterKept(c *Case, f *record.Fault, a, b *tokened) bool {
	by := countedBy(c, b.Hold)
	if by == nil {
		return false
	}
	counter := c.trace.Counters(by)[0]
	for _, m := range c.trace.Commands {
		n, err := strconv.ParseInt(m.Reply, 10, 64)
		if err == nil && n >= a.Token && m.Node == by.Node && m.Sent >= f.To && m.Recv <= by.Sent &&
			slices.Contains(c.trace.Counters(m), counter) {
			return true
		}
	}
	return false
}

// countedBy returns the command that counted and answered with the token of a hold, or nil.
func countedBy(c *Case, h *record.Hold) *history.Command {
	token := strconv.FormatInt(h.Token, 10)
	for _, m := range c.trace.SentWithin(h.Process, h.Call, h.From) {
		if m.Reply == token && len(c.trace.Counters(m)) == 1 {
			return m
		}
	}
	return nil
}
