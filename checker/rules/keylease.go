package rules

import (
	"slices"
	"sort"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules/leftover"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// keyLease is the lease of a key, as the commands asked for it. It says whether a free key needs an
// explanation. The lease that the holder was promised is another one: see record.Hold.
type keyLease struct {
	by      *history.Command // the command that asked for it
	end     int64            // until then the key surely lives, unless someone takes it away
	renewed bool             // by is a renewal
}

// keyFacts finds the facts about a key: its lease, its value, its end.
type keyFacts struct{ *Case }

func (c *Case) keyFacts() keyFacts { return keyFacts{c} }

// keyLeaseOf returns the lease of the key that a command granted, before a stamp. The latest
// command that asked for a length decides, except a renewal that may have found another client's
// key. If no command names a length, or a renewal has an unknown length, or no command shows an
// extension, the hold's lease counts.
func (c keyFacts) keyLeaseOf(h *record.Hold, grant *history.Command, before int64) keyLease {
	l := keyLease{by: grant, end: h.LeaseAt(before)}
	if d, known := c.trace.Asked(grant); known {
		l.end = c.lasts(grant.Sent, d)
	}
	unknown, ofKey := false, c.trace.OfKey(trace.Key(grant))
	for _, m := range ofKey {
		if m.Node != grant.Node || m.Sent < grant.Sent || m == grant || m.Sent >= before ||
			!c.trace.Renews(m) && !c.reenters(m, h) || trace.Strays(&c.trace.Reader, ofKey, m,
			trace.Held{Process: h.Process, Since: grant.Recv, Until: l.end}) {
			continue
		}
		d, known := c.trace.Asked(m)
		unknown = unknown || !known
		l = keyLease{by: m, end: c.lasts(m.Sent, d), renewed: true}
	}
	if unknown || !l.renewed && h.LeaseIn(before) != &h.Leases[0] { // no command shows the extension
		l.end = h.LeaseAt(before)
	}
	return l
}

// mayExpire reports whether a command since the call of a hold asks for an end of a key that may be
// the lock's, or its client ran a script for it with unknown effects. Without a grant, each key of
// the lock may be the one.
func (c keyFacts) mayExpire(h *record.Hold, grant *history.Command) bool {
	var keys []string
	if grant != nil {
		keys = trace.KeysOf(c.trace, h, grant.Node)
	}
	asks := func(m *history.Command) bool {
		return m.Process == h.Process && c.trace.Undeclared(m) || trace.AsksEnd(c.trace, m)
	}
	since := trace.SentSince(c.trace.OfLock(h.Key), h.Call)
	return slices.ContainsFunc(since, func(m *history.Command) bool {
		return asks(m) && !c.trace.Denied(m) && (grant == nil || slices.Contains(keys, trace.Key(m)))
	})
}

// freedInside reports whether an inner release may have freed the key of a hold before a command
// took it.
func (c keyFacts) freedInside(h *record.Hold, next *history.Command) bool {
	return c.innerRelease(h, next.Recv) != 0 && !c.shownSince(h, next.Recv, next.Sent)
}

// innerRelease returns when the latest release of an inner acquisition of a hold was called before
// a stamp, or 0.
func (c keyFacts) innerRelease(h *record.Hold, before int64) (latest int64) {
	inner := c.Record.Inner
	first := sort.Search(len(inner), func(i int) bool { return inner[i].From >= h.From })
	for _, in := range inner[first:] {
		if in.From > h.End {
			break
		}
		if in.Process == h.Process && in.Key == h.Key && in.End < before {
			latest = max(latest, in.End)
		}
	}
	return latest
}

// shownSince reports whether an answer shows that the key of a hold was there after the latest
// inner release that was called before a stamp, and before another stamp. A look shows another
// client's key if that one took the key meanwhile.
func (c keyFacts) shownSince(h *record.Hold, called, before int64) bool {
	grant, over := c.trace.GrantOf(h), int64(record.Forever)
	released := c.innerRelease(h, called)
	for _, r := range c.Record.Releases[h.Process] {
		if r.From == released {
			over = r.To
		}
	}
	return grant != nil && slices.ContainsFunc(trace.SentSince(c.trace.OfKey(trace.Key(grant)), over),
		func(m *history.Command) bool {
			return m.Node == grant.Node && m.Recv < before &&
				(c.trace.Denied(m) || c.trace.Renews(m) ||
					c.showsKeyOf(m, grant) && !takenSince(c.Case, grant, over, m.Recv) ||
					m.Process == h.Process && c.trace.Takes(m) && c.foundKey(m))
		})
}

// takenSince reports whether another client took the key that a command granted, and that was free
// then, between two stamps.
func takenSince(c *Case, grant *history.Command, from, to int64) bool {
	return slices.ContainsFunc(trace.SentSince(c.trace.OfKey(trace.Key(grant)), from),
		func(o *history.Command) bool {
			return o.Process != grant.Process && o.Sent < to &&
				(c.trace.TakesFree(o) || trace.Verb(o) == "HSETNX" && c.trace.Takes(o))
		})
}

// showsKeyOf reports whether the answer to a command shows the key that a command granted. It may
// show another one's: a value that the grant does not name, or one of several keys.
func (c keyFacts) showsKeyOf(m, grant *history.Command) bool {
	several := trace.Verb(m) == "EXISTS" && len(m.Args) > 2
	anothers := trace.Verb(m) == "GET" && !slices.Contains(grant.Args, m.Reply)
	return trace.ShowsKey(&c.trace.Reader, m) && !several && !anothers
}

// foundKey reports whether a command that took a key shows that it was there before.
func (c keyFacts) foundKey(m *history.Command) bool {
	if c.trace.Declared(m) {
		return true
	}
	kind := trace.EffectOf(m.Args).Kind
	unsure := len(m.Effects) > 0 || c.trace.Undeclared(m) || kind == trace.Write ||
		kind == trace.Swap && m.Reply == "(nil)"
	return !unsure && !c.trace.TakesFree(m) && m.Reply != "1"
}

// stillThere reports whether the key that a command wrote may still be there at a stamp: no client
// found it absent since, and after each fault by which its server may have lost it one was refused.
func (c keyFacts) stillThere(l *record.Lock, writer *history.Command, at int64) bool {
	refused := int64(0)
	for _, m := range c.trace.OfLock(l.Key) {
		switch {
		case m.Sent <= writer.Sent || m.Sent >= at || trace.Key(m) != trace.Key(writer):
		case c.trace.FindsNone(m):
			return false
		case c.trace.Denied(m):
			refused = max(refused, m.Sent)
		}
	}
	return !slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Forgets() && f.From < at && f.To > max(writer.Sent, refused)
	})
}

// reenters reports whether a command of an inner acquisition gave the key of a hold another lease.
func (c keyFacts) reenters(m *history.Command, h *record.Hold) bool {
	_, known := c.trace.Asked(m)
	return known && m.Process == h.Process && m.Sent >= h.From && m.Sent < h.End && c.trace.Takes(m)
}

// lasts returns the end of a lease by a server's clock that runs as fast as is allowed.
func (c keyFacts) lasts(sent, length int64) int64 {
	return sent + int64(float64(length)*(1-c.history.Header.Drift))
}

// takenBefore returns the first command of another client that took the free key between two grants
// on one node. Without another, that is the second grant.
func (c keyFacts) takenBefore(ga, gb *history.Command) *history.Command {
	for _, m := range c.trace.OfKey(trace.Key(ga)) {
		between := m.Sent >= ga.Recv && m.Sent < gb.Sent
		if between && m.Node == ga.Node && m.Process != ga.Process && c.trace.TakesFree(m) {
			return m
		}
	}
	return gb
}

// vanished reports whether a key was gone when a command took it, although its lease ran, and no
// client and no fault removed it. If only the run's clients can delete keys, any deletion that may
// have found the key contradicts that. Otherwise a deletion of its sender's own key does not.
func (c keyFacts) vanished(ga, next *history.Command) bool {
	deletions := c.deletersBetween(ga, next)
	if c.thirdParties(ga.Sent, next.Recv) {
		deletions = c.strangers(deletions, ga)
	}
	return ga.Node == next.Node && !c.quorums().independent() && c.trace.TakesFree(next) &&
		len(deletions) == 0 && !c.keyMayBeLost(ga.Sent, next.Recv) &&
		!slices.ContainsFunc(c.trace.OfKey(trace.Key(ga)), func(m *history.Command) bool {
			return m != ga && m != next && m.Node == ga.Node && m.Sent <= next.Recv &&
				lastAnswer(m) >= ga.Sent && c.mayChange(m)
		})
}

// mayChange reports whether a command may have overwritten a key or changed its lease.
func (c keyFacts) mayChange(m *history.Command) bool {
	switch kind := trace.EffectOf(m.Args).Kind; {
	case c.trace.Undeclared(m):
		return true
	case !trace.Answered(m):
		return trace.Unsure(m) && kind != trace.None && kind != trace.Take
	default:
		return (kind == trace.Write || kind == trace.Swap || kind == trace.Rewrite) && c.trace.Takes(m)
	}
}

// strangers returns the deletions that certainly were not for a key of their own senders.
func (c keyFacts) strangers(ms []*history.Command, ga *history.Command) (out []*history.Command) {
	for _, m := range ms {
		if !c.mayBeOwn(m, ga) {
			out = append(out, m)
		}
	}
	return out
}

// mayBeOwn reports whether a deletion may have found its own sender's key. The sender wrote it
// after the grant, or before it, so that the deletion freed the lock for the grant.
func (c keyFacts) mayBeOwn(m, ga *history.Command) bool {
	return c.wroteBefore(m, ga, func(k *history.Command) bool {
		before := c.trace.Deleted(m) && m.Sent <= ga.Recv && c.mayLast(k) >= ga.Sent
		return before || lastAnswer(k) >= ga.Sent
	})
}

// wroteSince reports whether the sender of a deletion may have written the key after a grant.
func (c keyFacts) wroteSince(m, ga *history.Command) bool {
	return c.wroteBefore(m, ga, func(k *history.Command) bool { return lastAnswer(k) >= ga.Sent })
}

// wroteBefore reports whether the sender of a deletion sent a command before it that fits and may
// have written the key on that node.
func (c keyFacts) wroteBefore(m, ga *history.Command, fits func(*history.Command) bool) bool {
	return slices.ContainsFunc(c.trace.OfKey(trace.Key(m)), func(k *history.Command) bool {
		return k.Process == m.Process && k.Node == m.Node && k != m && k != ga && k.Sent <= m.Sent &&
			!c.trace.Releasing(k) && leftover.Writes(c.trace, k) && fits(k)
	})
}

// mayLast returns the latest end of the lease that a command asked for; Forever if it is not known.
func (c keyFacts) mayLast(k *history.Command) int64 {
	d, known := c.trace.Asked(k)
	if !known {
		d = c.waits().longestLease()
	}
	if d == 0 || lastAnswer(k) == record.Forever {
		return record.Forever
	}
	return k.Recv + d
}
