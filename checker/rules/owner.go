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

// owner judges that only the owner releases: no client deletes the key while the lock is surely
// another's.
//
// ownerRule judges O: whether a client deleted another client's key.
type ownerRule struct{ *Case }

// owner finds deletions of another's key. A deletion certainly hit another's key if all of these
// hold: its reply says that it deleted something; its window lies inside another client's hold
// while the lease is valid; the same node granted that client's key, and the grant was over before
// the deletion was sent; and no other command can have written the key on that node since, above
// all not the deleter's. (The last condition separates a deletion of another's key from a deletion
// of the deleter's own key after a failover has granted twice.) Without such a reply, it may be
// certain because nothing else is possible: see deletedByOther and deletedInOrder.
func (c ownerRule) owner() property {
	switch {
	case len(c.trace.Commands) == 0:
		return unknown("a trace of commands is missing, and only that shows whose key a " +
			"release deleted")
	case c.history.Header.Topology == "independent":
		return notApplicable("a deletion on one of several independent servers does not release the lock")
	}
	spans := c.Record.Spans(record.WhileLeased, c.trust.Cut)
	grants := c.sureGrants()
	for _, m := range c.trace.Commands {
		if !c.trace.Deleted(m) {
			continue
		}
		key, _ := grants.LockOf(m) // a key of no lock hits nothing
		if h := c.victimOf(m, spans[key], grants); h != nil {
			return c.foreign(m, h, verdict.ForeignDelete, verdict.ReleasedByNonOwner)
		}
	}
	if !grants.Known {
		return unknown("the trace shows no command that granted the lock")
	}
	for _, key := range slices.Sorted(maps.Keys(spans)) {
		if p, ok := c.deletedByOther(spans[key], grants); ok {
			return p
		}
		if p, ok := c.deletedInOrder(spans[key], grants); ok {
			return p
		}
	}
	if p, ok := c.renewedByOther(spans, grants); ok {
		return p
	}
	for _, key := range slices.Sorted(maps.Keys(spans)) {
		if h := takenByThirdParty(c.Case, spans[key], grants); h != nil {
			return unknown("not judged: the key of client %d was gone although its lease ran, and someone "+
				"whose commands are not in the trace may have deleted it", h.Process)
		}
	}
	return valid
}

// victimOf returns the hold whose key a deletion certainly hit although it was another client's, or
// nil.
func (c ownerRule) victimOf(m *history.Command, ss []record.Span, g *trace.Grants) *record.Hold {
	i, _ := slices.BinarySearchFunc(ss, m.Sent, func(s record.Span, t int64) int {
		return cmp.Compare(s.From, t)
	})
	for i--; i >= 0; i-- {
		s := ss[i]
		h := &c.Record.Holds[s.Hold]
		if s.End > m.Recv && h.Process != m.Process { // equal stamps are concurrent, here and above
			if ga := g.ByHold[s.Hold]; ga != nil && c.certainlyHit(m, ga, g) &&
				c.keyFacts().keyLeaseOf(h, ga, m.Sent).end > m.Recv {
				return h
			}
		}
		if s.End <= m.Sent {
			// earlier spans are over as well if the lock keeps L, and otherwise L reports the overlap
			return nil
		}
	}
	return nil
}

// sureGrants returns the grants whose key is certainly the lock's. It omits a write that nothing
// could refuse if its call took several keys: each of them may be the lock's.
func (c ownerRule) sureGrants() *trace.Grants {
	sure := *c.grants()
	sure.ByHold, sure.Known = slices.Clone(sure.ByHold), false
	for i, m := range sure.ByHold {
		if m != nil && !c.trace.TakesFree(m) &&
			len(trace.KeysOf(c.trace, &c.Record.Holds[i], m.Node)) > 1 {
			sure.ByHold[i] = nil
		}
		sure.Known = sure.Known || sure.ByHold[i] != nil
	}
	return &sure
}

// certainlyHit reports whether a deletion can have found nothing but the key of a grant.
func (c ownerRule) certainlyHit(m, ga *history.Command, g *trace.Grants) bool {
	return trace.PlaceOf(ga) == trace.PlaceOf(m) && !c.ofOtherLock(m, g) &&
		!g.Possible[trace.PlaceOf(ga)].MeetsOther(ga.Sent, m.Recv-1, ga.Process)
}

// ofOtherLock reports whether a script names the key of another lock first. What it answers may be
// about that one alone.
func (c ownerRule) ofOtherLock(m *history.Command, g *trace.Grants) bool {
	first := *m
	first.About = 0
	lock, _ := g.LockOf(m)
	other, known := g.LockOf(&first)
	return known && other != lock
}

// foreign returns the violation by a command whose reply says that it changed the key of a hold.
// The holder was inside when it was sent, so it is not late.
func (c ownerRule) foreign(m *history.Command, h *record.Hold, kind verdict.Kind, class string,
) property {
	p := violated(h.Key, heldAt(h, m.Sent))
	ga := c.trace.GrantOf(h)
	p.Class = class
	w := p.Witness
	own := c.holdOf(m)
	if own != nil {
		w.Holds = []hold{heldAt(own, m.Sent), heldAt(h, m.Sent)}
		if g := c.trace.GrantOf(own); g != nil {
			w.Commands = append(w.Commands, grantedBy(g, own))
		}
		if own.LeaseEnd() <= m.Sent {
			w.Commands = append(w.Commands, leaseEnds(own, own.LeaseEnd()))
		}
	}
	changed := command{Command: *m, Kind: kind, Effect: explain.RenewsOf(h.Process)}
	if kind.Deletes() {
		changed.Effect = explain.DeletesOf(changed, h.Process)
	}
	w.Commands = append(w.Commands, grantedBy(ga, h), changed)
	inOrder(w.Commands)
	p.Explanation = explain.Changed(c.history.Header, h, m, own, c.acquiring(m), p.Class)
	if t := c.keyFacts().sharedToken(h, own, m); t != "" {
		p.Explanation += " " + explain.OneToken(t)
		p.OneValue = t
	}
	return p
}

// acquiring reports whether the sender of a command had an acquire call open.
func (c *Case) acquiring(m *history.Command) bool {
	return slices.ContainsFunc(c.Record.Calls, func(k record.Call) bool {
		return k.Process == m.Process && k.From <= m.Sent && m.Sent < k.To
	})
}

// holdOf returns the hold that the sender of a command was busy with, or nil.
func (c ownerRule) holdOf(m *history.Command) *record.Hold {
	var own *record.Hold
	for i := range c.Record.Holds {
		if h := &c.Record.Holds[i]; h.Process == m.Process && h.From <= m.Sent &&
			(m.N == 0 || m.N == h.N) {
			own = h
		}
	}
	return own
}
