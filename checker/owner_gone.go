package checker

import (
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// gone finds a deletion of another's key by what came of it. A client was granted a free lock while
// another's lease on the same server surely ran; the lease had not ended, the holder had not begun
// to release, and no fault took the server's memory or clock. So a client deleted the key between
// the two grants. If all that can have done it were sent by others, one of them did, whether or not
// a client read its reply.
//
// The owner is the acquisition, not the client: a late release of a hold that is over is not the
// owner of the same client's next one.
//
// Where the two grants were under way at the same time, it must be so in either order in which the
// server can have given them.
func (c *check) gone(key int, ss []record.Span, g trace.Grants) (p Property, found bool) {
	record.Overlaps(ss, func(a, b record.Span) bool {
		one, two := &grant{&c.record.Holds[a.Hold], g.ByHold[int(a.Hold)]},
			&grant{&c.record.Holds[b.Hold],
				g.ByHold[int(b.Hold)]}
		if one.by == nil || two.by == nil || one.by.Node != two.by.Node ||
			c.forgets(min(one.by.Sent, two.by.Sent), max(one.by.Recv, two.by.Recv)) {
			return true
		}
		ms, unclear := c.robs(one, two)
		back, unclear2 := c.robs(two, one)
		switch {
		case unclear || unclear2:
		case len(ms) > 0:
			p, found = c.deletion(key, one, two, ms), true
		case len(back) > 0:
			p, found = c.deletion(key, two, one, back), true
		}
		return !found
	})
	return p, found
}

// grant is a hold and the command that granted it.
type grant struct {
	*record.Hold
	by *history.Command
}

// robs returns what may have deleted the first one's key, if the second one was granted after it;
// nothing if that cannot be. It is unclear if the second grant is no proof that the key was gone,
// or the first one may have given it back by itself.
func (c *check) robs(first, second *grant) (ms []*history.Command, unclear bool) {
	if second.by.Recv < first.by.Sent {
		return nil, false
	}
	ms = c.deleters(first.by, second.by)
	mine := slices.ContainsFunc(ms, func(m *history.Command) bool {
		return m.Process == first.Process && (m.N == first.N || m.N == 0)
	})
	return ms, !c.trace.TakesFree(second.by) || mine || len(ms) > 0 && c.renests(first.Hold)
}

// forgets reports whether a fault may have made a server lose a key, or its lease end early, in a
// time.
func (c *check) forgets(from, to int64) bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Forgets() && f.From < to && (f.To > from || f.MovesClock())
	})
}

// renests reports whether a client acquired anew what it held, so that one of its own inner
// releases may have ended the hold.
func (c *check) renests(h *record.Hold) bool {
	return slices.ContainsFunc(c.record.Calls, func(k record.Call) bool {
		return k.Process == h.Process &&
			k.Depth > 0
	})
}

// deleters are all commands that may have deleted the key of one grant before the next one.
func (c *check) deleters(ga, gb *history.Command) (out []*history.Command) {
	for i := range c.trace.Commands {
		m := &c.trace.Commands[i]
		known := trace.Answered(m)
		switch {
		case m.Node != ga.Node || trace.Key(m) != trace.Key(ga), m.Sent > gb.Recv, known &&
			m.Recv < ga.Sent:
			// equal stamps are concurrent
		case known && (c.trace.Frees(m) || c.trace.Declared(m)) && !c.trace.Deleted(m):
			// it said that it deleted nothing
		case c.trace.Frees(m) || c.trace.Undeclared(m) && !c.trace.Denied(m):
			out = append(out, m)
		}
	}
	return out
}

// deletion tells the story.
func (c *check) deletion(key int, victim, next *grant, ms []*history.Command) Property {
	p := Property{Verdict: Violated, Class: ReleasedByNonOwner}
	w := &Witness{Key: key}
	for _, g := range []*grant{victim, next} {
		w.Holds = append(w.Holds, witnessHold(g.Hold, record.Span{From: g.From, End: g.End}))
		w.Commands = append(w.Commands, grantedBy(g.by, g.Hold))
	}
	var said []string
	for _, m := range ms {
		kind, effect := verdict.ForeignDelete, "deleted the key of client %d"
		if len(ms) > 1 {
			kind, effect = verdict.PossibleDelete, "may have deleted the key of client %d"
		}
		if m.Sent < victim.by.Recv {
			kind, effect = verdict.LateDelete,
				effect+explain.Say(": it was sent before the grant and came late")
			p.Class = LateMessage
		}
		w.Commands = append(w.Commands, WitnessCommand{Command: *m, Kind: kind,
			Effect: explain.Say(effect, victim.Process)})
		said = append(said, explain.Say("%q by client %d at %s", c.commandText(m), m.Process, at(m.Sent)))
	}
	inOrder(w.Commands)
	p.Witness = w
	p.Explanation = explain.Say(
		"Client %d was granted lock %d by %q at %s, and its lease was valid until %s. Yet at %s the "+
			"lock was free and granted to client %d, and client %d had not released it. All that can have "+
			"deleted the key was sent for holds that were not its own: %s. Class: %s.",
		victim.Process, key, c.commandText(victim.by), at(victim.From), until(victim.LeaseAt(next.From)),
		at(next.From), next.Process, victim.Process, strings.Join(said, "; "), p.Class)
	return p
}
