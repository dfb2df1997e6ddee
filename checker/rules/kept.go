package rules

import (
	"maps"
	"slices"
	"sync"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// This file finds keys that a lock keeps although the client said or was told that it does not have
// them. Each finding rests on replies alone, so that it decides the run in spite of any fault.

// kept is a key that its client wrote and that a later reply shows to be still there.
type kept struct {
	key                  int
	wrote, refused, seen *history.Command // refused is the refusal of a release, or nil
}

// keptAfter returns a key that a lock keeps, or nil. What its client took without using it may be
// given back later where time was lost.
func (c orphanRule) keptAfter(lost lateness) *kept {
	if k := c.keptOwn(); k != nil {
		return k
	}
	k := c.keptGranted()
	if k == nil || lost.why(k.key, k.seen) != "" {
		return nil
	}
	from := k.wrote.Sent - c.waits().longestLease()
	if x := c.excuses(); x.standstill(from, k.seen.Recv) != nil ||
		x.unanswered(from, k.seen.Recv) != nil {
		return nil
	}
	return k
}

// keptOwn returns a release that was told "not yours" although a later answer of the same server
// shows that the key was its client's own, or nil. The client's last command that wrote the value
// was answered before the release. No command since can have written the key. The promised lease
// was not over when the release returned: a lock may refuse a release without a request if it
// believes that the lease is over.
func (c orphanRule) keptOwn() *kept {
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
		if h.Ended != record.Released || h.Answer != history.Fail || h.Returned > h.BelievedEnd() ||
			h.InnerReleased != 0 || c.ownClockMoved(h) {
			continue
		}
		for _, m := range c.trace.SentWithin(h.Process, h.End, h.Returned) {
			if trace.Answered(m) && c.ofGrant(h)(m) {
				if k := c.still(h, m); k != nil {
					return k
				}
			}
		}
	}
	return nil
}

// still returns the evidence that a refused release found its client's own value, or nil.
func (c orphanRule) still(h *record.Hold, refused *history.Command) *kept {
	var wrote *history.Command
	for _, m := range c.trace.SentWithin(h.Process, h.Call, h.End) {
		if trace.PlaceOf(m) == trace.PlaceOf(refused) && c.trace.MayWrite(m) {
			wrote = m
		}
	}
	if wrote == nil || !c.trace.Takes(wrote) || c.trace.Undeclared(wrote) || c.leaseInValue(h, wrote) {
		return nil
	}
	if seen := c.seenAfter(wrote, h.Returned); seen != nil {
		return &kept{h.Key, wrote, refused, seen}
	}
	return nil
}

// leaseInValue reports whether a lock with a lease gave its key none: then its clients read from
// the value when the hold is over, and may find that earlier than the promise counts.
func (c orphanRule) leaseInValue(h *record.Hold, wrote *history.Command) bool {
	return c.history.Header.Declares.Lease && !c.trace.Declared(wrote) && !slices.ContainsFunc(
		c.trace.SentWithin(h.Process, h.Call, h.End), func(m *history.Command) bool {
			_, known := c.trace.Asked(m)
			return known && trace.PlaceOf(m) == trace.PlaceOf(wrote)
		})
}

// keptGranted returns a successful take in a call that said that another client has the lock, or
// nil. No later command of the client can have given it back. A later answer shows that the key is
// still there when the client has begun its next call, so that background work had time. Of several
// masters, a quorum has the key.
func (c orphanRule) keptGranted() *kept {
	granting := sync.OnceValue(c.grantingKeys)
	for i := range c.Record.Calls {
		k := &c.Record.Calls[i]
		if !k.Denied() || k.Depth > 0 {
			continue
		}
		took := c.tookAndKept(k, granting)
		if len(took) == 0 || c.inside(k) {
			continue
		}
		next, ok := c.nextCall(k)
		if !ok {
			continue
		}
		found := map[string]*kept{}
		for _, m := range took {
			if seen := c.seenAfter(m, next); seen != nil {
				key, _ := c.grants().LockOf(m)
				found[m.Node] = &kept{key: key, wrote: m, seen: seen}
			}
		}
		if q := c.quorum(); q > 0 && len(found) >= q {
			return found[slices.Min(slices.Collect(maps.Keys(found)))]
		}
	}
	return nil
}

// tookAndKept returns the commands of a call that took a lock and that nothing gave back.
func (c orphanRule) tookAndKept(k *record.Call,
	granting func() map[string]bool) (took []*history.Command) {
	for _, m := range c.waits().commandsOf(k) {
		if _, known := c.grants().LockOf(m); known && m.Recv <= k.To && c.trace.Wrote(m) &&
			c.isLocks(m, granting()) && !c.givesBack(m) {
			took = append(took, m)
		}
	}
	return took
}

// isLocks reports whether the key of a command is a lock's: it granted one in the run. If no key is
// known to, it has the name of a lock. A client may write any other key as a note.
func (c orphanRule) isLocks(m *history.Command, granting map[string]bool) bool {
	return granting[trace.Key(m)] || len(granting) == 0 && trace.IsNamed(c.trace, m)
}

// inside reports whether the client of a call had one of its locks already.
func (c orphanRule) inside(k *record.Call) bool {
	return slices.ContainsFunc(c.Record.Holds, func(h record.Hold) bool {
		return h.Process == k.Process && slices.Contains(k.Keys, h.Key) && h.Call < k.To &&
			k.From < max(h.End, min(h.Returned, c.Record.End))
	})
}

// givesBack reports whether the sender of a command that took a key sent anything later that may
// give it back, up to its next take of the same key.
func (c orphanRule) givesBack(took *history.Command) bool {
	for _, m := range c.trace.SentWithin(took.Process, took.Sent, record.Forever) {
		switch {
		case m == took, trace.PlaceOf(m) != trace.PlaceOf(took), trace.Silent(m):
		case c.trace.Wrote(m):
			return false
		case trace.EffectOf(m.Args).Kind != trace.Take && !c.trace.Denied(m):
			return true
		}
	}
	return false
}

// nextCall returns when the client of a call began the next one; false if it did not, or was
// killed.
func (c orphanRule) nextCall(k *record.Call) (from int64, ok bool) {
	if c.waits().endOf(k.Process) < record.Forever {
		return 0, false
	}
	from = record.Forever
	for i := range c.Record.Calls {
		if o := &c.Record.Calls[i]; o.Process == k.Process && o.From >= k.To && o != k {
			from = min(from, o.From)
		}
	}
	return from, from < record.Forever
}

// seenAfter returns the first command, sent after a stamp, whose answer shows that the key still
// has the value of a command: another take was refused, or the value itself was read. It returns
// nil if there is none, if a command since can have written the key, or if a fault can have removed
// it or brought it back.
func (c orphanRule) seenAfter(wrote *history.Command, after int64) *history.Command {
	for _, m := range c.trace.OfKey(trace.Key(wrote)) {
		if m.Node != wrote.Node || m == wrote || m.Recv != 0 && m.Recv < wrote.Sent {
			continue
		}
		if m.Sent > after && (c.trace.Denied(m) || c.quorums().tells(m, wrote)) {
			if c.undisturbed(wrote.Sent, m.Recv) {
				return m
			}
			return nil
		}
		if c.trace.MayWrite(m) {
			return nil
		}
	}
	return nil
}

// undisturbed reports whether no fault in a time can have taken a key away, brought one back, or
// made a lease end early.
func (c orphanRule) undisturbed(from, to int64) bool {
	return !slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.From <= to && (f.To >= from || f.MovesClock()) && !f.OfClient()
	})
}

// keptKey returns the violation by a kept key.
func (c orphanRule) keptKey(k *kept) property {
	p := violated(k.key)
	p.Decides = true
	add := func(m *history.Command, kind verdict.Kind, effect string) {
		p.Witness.Commands = append(p.Witness.Commands, command{Command: *m, Kind: kind, Effect: effect})
	}
	add(k.wrote, verdict.Write, explain.Writes(k.wrote.Process))
	if k.refused == nil {
		p.Class = verdict.RefusedThoughGranted
		p.Explanation = explain.KeptGranted(c.history.Header, k.key, k.wrote, k.seen)
	} else {
		p.Class = verdict.KeptOwn
		p.Explanation = explain.KeptOwn(c.history.Header, k.key, k.wrote, k.refused, k.seen)
		add(k.refused, verdict.Denial, explain.ToldNotOwn())
	}
	if k.seen != k.refused {
		add(k.seen, verdict.Denial, explain.StillThere())
	}
	inOrder(p.Witness.Commands)
	return p
}
