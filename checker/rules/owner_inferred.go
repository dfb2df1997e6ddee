package rules

import (
	"cmp"
	"slices"
	"sort"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// deletedByOther infers a deletion of another's key from its consequence. A client was granted a
// free lock although another's lease on the same server surely ran. The holder had not begun to
// release, and no fault removed the server's memory or moved its clock. So a client deleted the key
// between the two grants. If only others sent commands that can have done it, one of them did, even
// if no client read its reply.
//
// The owner is the acquisition, not the client: a late release of an earlier hold does not own the
// same client's next hold. A deletion proves nothing if its sender may have written the key since
// the grant. If programs other than the run's clients may delete keys, no deletion proves anything:
// the key has vanished.
//
// If the two grants were under way at the same time, this must be true in both orders of their
// execution. The violation then names the possible deletions of either order.
func (c ownerRule) deletedByOther(ss []record.Span, g *trace.Grants) (p property, found bool) {
	for a, b := range record.Overlaps(ss) {
		one := &grant{&c.Record.Holds[a.Hold], g.ByHold[a.Hold]}
		two := &grant{&c.Record.Holds[b.Hold], g.ByHold[b.Hold]}
		if one.by == nil || two.by == nil || one.by.Node != two.by.Node {
			continue
		}
		from, to := min(one.by.Sent, two.by.Sent), max(one.by.Recv, two.by.Recv)
		if c.keyMayBeLost(from, to) || c.keyFacts().thirdParties(from, to) {
			continue
		}
		deleters, unclear := c.possibleDeleters(one, two)
		ifOther, unclearToo := c.possibleDeleters(two, one)
		switch {
		case unclear || unclearToo:
		case len(deleters) > 0:
			return c.inferredDeletion(one, two, union(deleters, ifOther), len(ifOther) > 0), true
		case len(ifOther) > 0:
			return c.inferredDeletion(two, one, ifOther, false), true
		}
	}
	return p, false
}

// union returns the commands of two lists, each once, in the order of sending.
func union(a, b []*history.Command) []*history.Command {
	all := slices.Clone(a)
	for _, m := range b {
		if !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b *history.Command) int { return cmp.Compare(a.Sent, b.Sent) })
	return all
}

// grant is a hold and the command that granted it.
type grant struct {
	*record.Hold
	by *history.Command
}

// possibleDeleters returns the commands that may have deleted the first one's key, if the second
// one was granted after it. It returns none if that is impossible. It is unclear if the second
// grant does not prove that the key was gone, or the first one may have given it back by itself.
func (c ownerRule) possibleDeleters(first, second *grant) (ms []*history.Command, unclear bool) {
	switch {
	case second.by.Recv < first.by.Sent:
		return nil, false
	case !c.trace.TakesFree(second.by),
		c.keyFacts().keyLeaseOf(first.Hold, first.by, second.by.Recv).end <= second.by.Recv:
		return nil, true
	}
	ms = c.deletersAfter(first.by, second.by)
	own := slices.ContainsFunc(ms, func(m *history.Command) bool {
		return m.Process == first.Process && (m.N == first.N || m.N == 0) ||
			c.keyFacts().wroteSince(m, first.by) || c.overwrote(m, first.by)
	})
	return ms, own || len(ms) > 0 && (c.acquiredAgain(first.Hold) || c.takenOver(first, second))
}

// deletersAfter returns what deletersBetween returns, except commands that must precede the first
// grant.
func (c ownerRule) deletersAfter(ga, gb *history.Command) []*history.Command {
	return slices.DeleteFunc(c.deletersBetween(ga, gb), func(m *history.Command) bool {
		return c.mustPrecede(ga, m)
	})
}

// mustPrecede reports whether a deletion surely came before a grant: it ended its own client's
// hold, whose lease still ran when the grant found the key free, and nothing else can have ended
// it.
func (c ownerRule) mustPrecede(found, m *history.Command) bool {
	h := c.holdOf(m)
	if h == nil || m.Again > 0 || c.mayComeTwice(m) {
		return false
	}
	own := &grant{h, c.trace.GrantOf(h)}
	if own.by == nil || own.by.Node != found.Node || own.by.Recv >= found.Sent ||
		!c.trace.TakesFree(found) || c.keyMayBeLost(own.by.Sent, found.Recv) ||
		c.keyFacts().keyLeaseOf(h, own.by, found.Recv).end <= found.Recv ||
		c.takenOver(own, &grant{by: found}) {
		return false
	}
	return !slices.ContainsFunc(c.deletersBetween(own.by, found), func(k *history.Command) bool {
		return k != m && !c.trace.Spares(k, own.by)
	})
}

// takenOver reports whether a third client may have written over the key of the first grant before
// the second one. In that case the deletion hit the key of the third client.
func (c ownerRule) takenOver(first, second *grant) bool {
	return slices.ContainsFunc(c.trace.OfKey(trace.Key(first.by)), func(k *history.Command) bool {
		kind := trace.EffectOf(k.Args).Kind
		between := k.Node == first.by.Node && k.Sent <= second.by.Recv &&
			lastAnswer(k) >= first.by.Sent && k != first.by && k != second.by
		return between && (kind == trace.Swap || kind == trace.Write) &&
			slices.Contains(c.grants().ByHold, k)
	})
}

// overwrote reports whether the sender of a deletion may have overwritten the key between the first
// grant and the deletion: then it deleted its own key.
func (c ownerRule) overwrote(m, first *history.Command) bool {
	return slices.ContainsFunc(c.trace.OfKey(trace.Key(m)), func(k *history.Command) bool {
		kind := trace.EffectOf(k.Args).Kind
		return (kind == trace.Swap || kind == trace.Write) && k.Process == m.Process &&
			k.Node == m.Node && k.Sent < m.Sent && lastAnswer(k) >= first.Sent
	})
}

// keyMayBeLost reports whether a fault may have made a server lose a key, or its lease end early,
// in a time.
func (c *Case) keyMayBeLost(from, to int64) bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Forgets() && f.From < to && (f.To > from || f.MovesClock())
	})
}

// acquiredAgain reports whether a client re-acquired its own lock, so that one of its own inner
// releases may have ended the hold.
func (c ownerRule) acquiredAgain(h *record.Hold) bool {
	return slices.ContainsFunc(c.Record.Calls, func(k record.Call) bool {
		return k.Process == h.Process && k.Depth > 0
	})
}

// deletersBetween returns all commands that may have deleted a key at some time from the sending of
// one grant to the reply to the next, in the order of sending. One of them may have come before the
// first grant.
func (c *Case) deletersBetween(ga, gb *history.Command) (out []*history.Command) {
	return ownerRule{c}.deletersAt(trace.PlaceOf(ga)).executedBetween(ga.Sent, gb.Recv)
}

func (c ownerRule) deletersAt(at trace.Place) deleters { return c.deleters.get(at, c.deletersOf) }

// deleters are the commands that may have deleted a key, in the order of sending.
type deleters struct {
	commands []*history.Command
	latest   []int64 // the latest reply of the first i+1; Forever: one may have come at any time
}

func (c ownerRule) deletersOf(at trace.Place) (ds deleters) {
	latest := int64(0)
	for _, m := range c.trace.OfKey(at.Key) {
		if m.Node != at.Node || !c.trace.MayHaveDeleted(m) {
			continue
		}
		latest = max(latest, lastAnswer(m))
		ds.commands, ds.latest = append(ds.commands, m), append(ds.latest, latest)
	}
	return ds
}

// lastAnswer returns when a command had certainly been executed, or Forever if that is unknown.
func lastAnswer(m *history.Command) int64 {
	if trace.Answered(m) {
		return m.Recv
	}
	return record.Forever
}

// executedBetween returns the commands that may have been executed between two stamps. Equal stamps
// are concurrent.
func (ds deleters) executedBetween(from, to int64) (out []*history.Command) {
	end := sort.Search(len(ds.commands), func(i int) bool { return ds.commands[i].Sent > to })
	begin := sort.Search(end, func(i int) bool { return ds.latest[i] >= from })
	for _, m := range ds.commands[begin:end] {
		if lastAnswer(m) >= from {
			out = append(out, m)
		}
	}
	return out
}

// inferredDeletion returns the violation by one of the possible deleters, with both grants. If
// either grant may have been the first, no deletion certainly hit the key of one of them.
func (c ownerRule) inferredDeletion(victim, next *grant, deleters []*history.Command, either bool,
) property {
	p := violated(victim.Key, heldAt(victim.Hold, next.From), heldAt(next.Hold, next.From))
	late := func(m *history.Command) bool {
		return c.late(m, victim.by) && (!either || m.Sent < next.by.Sent)
	}
	p.Class = verdict.ReleasedByNonOwner
	if !slices.ContainsFunc(deleters, func(m *history.Command) bool { return !late(m) }) {
		p.Class = verdict.LateMessage
	}
	cs := []command{grantedBy(victim.by, victim.Hold), grantedBy(next.by, next.Hold)}
	for _, m := range deleters {
		alone := len(deleters) == 1 && !either
		kind := verdict.PossibleDelete
		switch {
		case alone && late(m):
			kind = verdict.LateDelete
		case alone:
			kind = verdict.ForeignDelete
		}
		cs = append(cs, command{Command: *m, Kind: kind,
			Effect: explain.DeletedOf(victim.Process, alone, late(m))})
	}
	inOrder(cs)
	p.Witness.Commands = shorten(cs)
	p.Explanation = explain.MustBeDeleted(c.history.Header, victim.Hold, next.Hold, victim.by,
		deleters, either, p.Class)
	return p
}
