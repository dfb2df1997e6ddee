package rules

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// maxCommands is how many commands a witness shows at most. Those of a typical one are three to
// five.
const maxCommands = 9

// commands returns the Redis commands of a violation, in the order of sending: the two grants, and
// between them everything that changed the key. If another client deleted the key, it adds the
// grant that made that client believe that the key was its own. Events without a command (the end
// of a lease, a fault) appear between them without arguments. Without a trace there are none.
func (c *Case) commands(p *record.Pair) []command {
	ga, gb := c.trace.GrantOf(p.A), c.trace.GrantOf(p.B)
	if ga == nil || gb == nil {
		return nil
	}
	w := chain{Case: c, pair: p, gb: gb, key: trace.Key(ga)}
	if c.quorums().independent() {
		w.votes, w.next = votesByNode(c, p.A), votesByNode(c, p.B)
		p.VotesA, p.VotesB = nodesOf(w.votes), nodesOf(w.next)
	}
	w.put(grantedBy(ga, p.A))
	w.failedRenewal()
	for _, m := range c.trace.OfKey(w.key) {
		w.consider(m, ga, gb)
	}
	w.emptying(ga)
	w.look(ga)
	w.look(gb)
	w.doubt(ga)
	w.renewal(ga, gb)
	w.happenings()
	w.put(grantedBy(gb, p.B))
	w.motives()
	inOrder(w.out)
	p.Token = w.token()
	return shorten(w.out)
}

// chain collects the commands of a witness.
type chain struct {
	*Case
	pair *record.Pair
	gb   *history.Command // that granted the second hold
	key  string
	out  []command
	// the grants of each holder by server, or nil if the lock has one server
	votes, next map[string]*history.Command
}

// token returns the token of both clients that made the second grant, or a deletion before it, pass
// for one of the first holder. It returns "" if there is none.
func (w *chain) token() string {
	for i := range w.out {
		m := &w.out[i]
		if !m.Kind.Deletes() && (m.Process != w.gb.Process || m.Seq != w.gb.Seq) {
			continue
		}
		by := w.pair.B
		if m.Kind.Deletes() {
			by = w.releasedBy(&m.Command)
		}
		if t := w.keyFacts().sharedToken(w.pair.A, by, &m.Command); t != "" {
			return t
		}
	}
	return ""
}

// motives sets Trying of each deletion within an acquire, Copy of each that arrived twice, and
// First of each that is a repetition: its client sent the same command for the same hold before,
// and that one got no reply or arrived twice. A second copy is late.
func (w *chain) motives() {
	for i := range w.out {
		m := &w.out[i]
		if !m.Kind.Deletes() {
			continue
		}
		m.Trying, m.Copy = w.acquiring(&m.Command), w.mayComeTwice(&m.Command)
		for _, x := range w.trace.Sent[m.Process] {
			same := x.Seq < m.Seq && x.N == m.N && slices.Equal(x.Args, m.Args)
			if same && (x.Why != "" || m.Copy) {
				m.First, m.Copy = x.Sent, m.Copy && m.Sent < x.Recv // a copy follows at once
				break
			}
		}
		if m.Copy && m.First != 0 && m.Kind == verdict.ForeignDelete {
			m.Kind = verdict.LateDelete
		}
	}
}

// put adds a command that is not there yet.
func (w *chain) put(m command) {
	for i := range w.out {
		if w.out[i].Process == m.Process && w.out[i].Seq == m.Seq && w.out[i].Sent == m.Sent {
			return
		}
	}
	w.out = append(w.out, m)
}

// emptying adds the commands of clients that may have emptied the server between the two grants.
func (w *chain) emptying(ga *history.Command) {
	for _, m := range emptyings(w.Case, min(ga.Sent, w.gb.Sent), w.gb.Recv) {
		if m.Node == ga.Node {
			w.put(command{Command: *m, Kind: verdict.Emptying, Effect: explain.Empties()})
		}
	}
}

// look adds the last command of a call that read the key as free, if its grant wrote the key
// whatever was there.
func (w *chain) look(grant *history.Command) {
	if trace.EffectOf(grant.Args).Kind != trace.Write {
		return
	}
	var last *history.Command
	for _, m := range w.trace.OfKey(w.key) {
		if m.Process == grant.Process && m.N == grant.N && m.Node == grant.Node &&
			trace.Silent(m) && m.Recv <= grant.Sent && trace.Answered(m) {
			last = m
		}
	}
	if last != nil && w.trace.FindsNone(last) {
		w.put(command{Command: *last, Kind: verdict.Look, Effect: explain.ReadsFree()})
	}
}

// grantedBy returns the command that granted a hold, in the form of a witness.
func grantedBy(m *history.Command, h *record.Hold) command {
	return command{Command: *m, Kind: verdict.Grant, Effect: explain.Grants(h.Process)}
}

// leaseEnds returns the end of a hold's lease, in the form of a witness.
func leaseEnds(h *record.Hold, t int64) command {
	return command{Command: history.Command{Process: history.Harness, Node: h.Node, Sent: t},
		Kind: verdict.LeaseEnd, Of: h.Process, Effect: explain.LeaseEnds(h.Process)}
}

// inOrder sorts commands by when they were sent.
func inOrder(ms []command) {
	slices.SortStableFunc(ms, func(a, b command) int { return cmp.Compare(a.Sent, b.Sent) })
}

// consider adds a command about the key that changed it, or may have, between the two grants.
func (w *chain) consider(m, ga, gb *history.Command) {
	if w.votes != nil {
		if ga = w.votes[m.Node]; ga == nil {
			return // the first holder had no vote there
		}
		gb = cmp.Or(w.next[m.Node], gb)
	}
	if m == ga || m == gb || m.Sent > gb.Recv || m.Why == history.NotSent {
		return
	}
	known := m.Recv != 0 && m.Err == ""
	if known && (m.Recv < ga.Sent || m.Process == ga.Process && m.Seq < ga.Seq &&
		m.Recv == ga.Sent) {
		return // certainly before
	}
	orders := w.ordersAt(m.Node, ga)
	switch {
	case orders != nil && (!known || w.trace.MayHaveDeleted(m)):
		w.ordered(m, ga, orders)
	case known && w.trace.Deleted(m):
		w.deletion(m, ga, true)
	case !known && w.trace.Frees(m), w.releasedUnseen(m) && w.trace.TakesFree(gb):
		w.deletion(m, ga, false)
	case !known || m.Sent < ga.Sent:
	case trace.EffectOf(m.Args).Kind == trace.Swap:
		w.put(command{Command: *m, Kind: verdict.Write, Effect: explain.Overwrites(m.Process),
			Over: w.wroteOver(m, ga, orders)})
	case !w.trace.Releasing(m) && w.trace.Takes(m):
		w.put(command{Command: *m, Kind: verdict.Write, Effect: explain.Writes(m.Process),
			Free: w.trace.TakesFree(m), Over: w.wroteOver(m, ga, orders)})
	}
}

// releasedUnseen reports whether a release sent a script with unknown effects, and the server may
// have run it.
func (w *chain) releasedUnseen(m *history.Command) bool {
	return w.trace.Undeclared(m) && w.trace.Releasing(m) && w.trace.MayHaveDeleted(m)
}

// deletion adds a command that deleted the key, or may have if it was not answered. If it was not
// the first holder's own, its sender's grant tells why it thought it was its.
func (w *chain) deletion(m, ga *history.Command, known bool) {
	d := command{Command: *m, Kind: verdict.ForeignDelete}
	if !known {
		d.Kind = verdict.PossibleDelete
	}
	if w.ofOwner(m) {
		d.Kind = verdict.OwnDelete
		if m.Sent < ga.Sent { // of an attempt before the one that was granted
			if w.trace.Spares(m, ga) {
				return
			}
			d.Kind = verdict.LateDelete
		}
		d.Effect = explain.Deletes(d)
		w.put(d)
		return
	}
	if w.trace.Spares(m, ga) || w.undoes(m, ga) || w.neverThere(m, ga) ||
		known && m.Sent < ga.Recv && !w.trace.TakesFree(w.gb) {
		return
	}
	if w.pair.A.LeaseAt(m.Sent) <= m.Sent && w.classifier().expires(w.pair.A) {
		return // the key was over
	}
	meant := w.releasedBy(m)
	if m.Sent < ga.Recv {
		if meant != nil && meant.LeaseEnd() > ga.Recv && !w.freed(m, meant, ga) {
			return // it must have come before the first grant, which nothing else allowed
		}
		if w.late(m, ga) {
			d.Kind = verdict.LateDelete
		}
	}
	w.means(meant, m)
	d.Effect = explain.DeletesOf(d, w.pair.A.Process)
	w.put(d)
}

// neverThere reports whether a deletion on another server certainly found no key of the first
// holder there: the key was never copied to it, or a client had found it free.
func (w *chain) neverThere(deletion, ga *history.Command) bool {
	if deletion.Node == ga.Node {
		return false
	}
	return deletion.Node == w.gb.Node && w.classifier().neverCopied(w.pair) ||
		slices.ContainsFunc(w.trace.OfKey(w.key), func(m *history.Command) bool {
			return m.Node == deletion.Node && m.Sent >= ga.Recv && m.Recv <= deletion.Sent &&
				trace.Answered(m) && w.trace.TakesFree(m)
		})
}

// means adds the grant of the hold that a client meant to release. It does nothing if meant is nil.
func (w *chain) means(meant *record.Hold, m *history.Command) {
	if meant == nil {
		return
	}
	if g := w.trace.GrantOf(meant); g != nil {
		w.put(grantedBy(g, meant))
		if end := meant.LeaseEnd(); end <= m.Sent {
			w.put(leaseEnds(meant, end))
		}
	}
}

// freed reports whether something else than a deletion may have freed the key that it meant before
// the first grant: another deletion, or a fault.
func (w *chain) freed(m *history.Command, meant *record.Hold, ga *history.Command) bool {
	return w.keyMayBeLost(meant.Granting, ga.Recv) || slices.ContainsFunc(w.trace.OfKey(w.key),
		func(k *history.Command) bool {
			return k != m && k.Node == m.Node && k.Sent < ga.Recv && k.Recv >= meant.Granting &&
				w.trace.Deleted(k)
		})
}

// doubt marks answered deletions as only possible, unless the order of the commands is known. It
// marks a deletion that was sent before the first grant was answered, if another deletion, a fault
// or the end of the lease can have freed the key for the second. It marks one on another server, if
// a fault can have, and the first grant may never have arrived there. If a fault can have taken the
// first key, it marks one that may have hit a later key. And it marks a foreign one, if another
// deletion may have come before it.
func (w *chain) doubt(ga *history.Command) {
	deletions, lost := 0, w.classifier().culprit(w.pair.A, w.pair.B) >= nemesis.ServerClocks
	over := w.pair.A.LeaseAt(w.gb.Recv) <= w.gb.Recv
	for i := range w.out {
		if w.out[i].Kind.Deletes() || w.out[i].Kind == verdict.OwnDelete {
			deletions++
		}
	}
	for i := range w.out {
		m := &w.out[i]
		if m.Recv != 0 && w.ordersAt(m.Node, cmp.Or(w.votes[m.Node], ga)) != nil {
			continue
		}
		early := m.Node == ga.Node && m.Sent < ga.Recv && (deletions > 1 || lost || over)
		elsewhere := m.Node != ga.Node && lost && !w.quorums().independent() && w.older(&m.Command, ga)
		doubtful := early || elsewhere || lost && w.takenAnew(m, ga)
		m.OneOf = !doubtful && m.Kind == verdict.ForeignDelete && w.rivalled(i)
		if m.Kind.Deletes() && trace.Answered(&m.Command) && (doubtful || m.OneOf) {
			m.Effect = explain.DeletedOf(w.pair.A.Process, false, m.Sent < ga.Sent)
			m.Kind = verdict.PossibleDelete
		}
	}
}

// takenAnew reports whether a client between the two grants took the free key before a deletion was
// answered.
func (w *chain) takenAnew(deletion *command, ga *history.Command) bool {
	return slices.ContainsFunc(w.trace.OfKey(w.key), func(k *history.Command) bool {
		return k != w.gb && k.Node == deletion.Node && k.Sent >= ga.Recv && k.Sent < deletion.Recv &&
			w.trace.TakesFree(k)
	})
}

// rivalled reports whether another deletion on the same server was sent before one was answered.
func (w *chain) rivalled(deletion int) bool {
	d := &w.out[deletion]
	for i := range w.out {
		m := &w.out[i]
		if i != deletion && (m.Kind.Deletes() || m.Kind == verdict.OwnDelete) && m.Node == d.Node &&
			m.Sent < d.Recv {
			return true
		}
	}
	return false
}

// older reports whether a value from before the first grant may have been on the server of a
// deletion, even one that the first holder wrote for an earlier hold. A reply that shows the first
// holder's value there rules it out.
func (w *chain) older(m, ga *history.Command) bool {
	over := func(k *history.Command) bool {
		ends := trace.EffectOf(k.Args).Expiry
		if ends.Seconds == 0 || ends.Absolute {
			return false
		}
		return k.Sent+int64(ends.Seconds*1e9) <= m.Sent || slices.ContainsFunc(
			w.waits().lock(w.pair.Key).Holds, func(h *record.Hold) bool {
				return w.trace.GrantOf(h) == k && h.LeaseEnd() <= m.Sent
			})
	}
	return !w.shown(m, ga) && slices.ContainsFunc(w.trace.OfKey(w.key),
		func(k *history.Command) bool { return k.Sent < ga.Sent && w.trace.Takes(k) && !over(k) })
}

// shown reports whether a reply from the server of a deletion showed the first holder's value
// there, and no fault can have changed that before the deletion.
func (w *chain) shown(deletion, ga *history.Command) bool {
	return slices.ContainsFunc(w.trace.OfKey(w.key), func(r *history.Command) bool {
		return r.Node == deletion.Node && r.Sent >= ga.Recv && r.Recv <= deletion.Sent &&
			w.quorums().tells(r, ga) && !w.keyMayBeLost(r.Sent, deletion.Recv)
	})
}

// releasedBy returns the hold that the sender of a deletion meant, or nil.
func (w *chain) releasedBy(m *history.Command) *record.Hold {
	var own *record.Hold
	for _, h := range w.waits().lock(w.pair.Key).Holds {
		if h.Process == m.Process && (m.N == h.N || m.N == 0) && h.From <= m.Sent {
			own = h
		}
	}
	return own
}

// failedRenewal adds the renewal whose failure cost the first holder its lease.
func (w *chain) failedRenewal() {
	h := w.pair.A
	end := h.LeaseAt(w.pair.B.From)
	if m := w.renewals().gaveUp(h, end); m != nil && end <= w.pair.B.From {
		w.put(command{Command: *m, Kind: verdict.Renewal, Of: h.Process, Until: end,
			Effect: explain.FailsToRenew(h.Process)})
	}
}

// renewal adds the command that gave the first holder's key its last lease before the second grant,
// unless that is the grant, and the end of that lease.
func (w *chain) renewal(ga, gb *history.Command) {
	l := w.keyFacts().keyLeaseOf(w.pair.A, ga, gb.Recv)
	if l.renewed {
		w.put(command{Command: *l.by, Kind: verdict.Renewal, Of: w.pair.A.Process, Until: l.end,
			Effect: explain.Renews(w.pair.A.Process, l.end)})
	}
	if l.end <= gb.Recv && w.pair.A.LeaseAt(w.pair.From) > w.pair.From {
		w.out = append(w.out, leaseEnds(w.pair.A, l.end))
	}
}

// happenings adds what no client sent: the end of the first holder's lease, promotions and
// restarts.
func (w *chain) happenings() {
	if end := w.pair.A.LeaseAt(w.pair.From); end <= w.pair.From {
		w.out = append(w.out, leaseEnds(w.pair.A, end))
	}
	for _, f := range w.faults {
		if f.Forgets() && f.From < w.pair.B.From && f.From > w.pair.A.Call {
			begin, _ := f.Tell()
			w.out = append(w.out, command{Command: history.Command{Process: history.Harness,
				Node: f.Target, Sent: f.From}, Kind: verdict.Fault, Effect: begin})
		}
	}
}

// shorten keeps the beginning and the end of a long list.
func shorten(cs []command) []command {
	if len(cs) <= maxCommands {
		return cs
	}
	return append(slices.Clone(cs[:maxCommands/2]), cs[len(cs)-(maxCommands-maxCommands/2):]...)
}

// has reports whether some command of a witness is of one of these kinds.
func has(cs []command, kinds ...verdict.Kind) bool {
	return slices.ContainsFunc(cs, func(c command) bool {
		return slices.Contains(kinds, c.Kind)
	})
}
