package rules

import (
	"cmp"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// classifier tells the class of a violation.
type classifier struct{ *Case }

func (c *Case) classifier() classifier { return classifier{c} }

// classify returns the class of a violation, and the assumption of the lock that a fault broke. The
// order matters: an overlap is an overrun if the end of a lease explains it, whatever else
// happened. The commands come next, and then the faults. An uncertain deletion explains nothing if
// a server has lost its memory, or a clock was moved.
func (c classifier) classify(p *record.Pair, commands []command) (class, assumption string) {
	leased := p.A.LeaseAt(p.B.From)
	if p.A.Valid != record.Forever && p.B.From < p.A.Valid {
		leased = p.A.LatestEnd(p.B.From)
	}
	switch {
	case c.cameLate(p.A) && (leased <= p.B.From || !deletes(commands)) ||
		c.cameLate(p.B) && leased > p.B.From && !deletes(commands) && !grantedBefore(c.Case, p.A, p.B):
		// if the first client had outlived its lease, it would meet the next grant as well
		return verdict.LateMessage, c.stoodClock(p)
	case leased <= p.B.From && p.A.Valid != record.Forever && p.B.From < p.A.Valid:
		return verdict.PromisedTooLong, ""
	case p.A.From <= p.A.Lost && p.A.Lost <= p.B.From &&
		(leased <= p.B.From || c.bySession(p.A, p.B.From)):
		return verdict.AfterNotice, ""
	case c.endedSession(p.A, p.B.From) || c.disconnected(p.A, p.B.From):
		return verdict.SessionLost, ""
	case leased <= p.B.From && c.renewals().gaveUp(p.A, leased) != nil:
		return verdict.LostRenewal, ""
	case leased <= p.B.From:
		return verdict.LeaseOverrun, ""
	case c.quorums().neverGranted(p.A) || c.quorums().neverGranted(p.B):
		return verdict.NoServer, ""
	case c.neverCopied(p): // a deletion on the first server freed nothing here
	case has(certain(commands), verdict.ForeignDelete):
		return verdict.ReleasedByNonOwner, ""
	case has(certain(commands), verdict.LateDelete):
		return verdict.LateMessage, ""
	}
	if class := c.ofKey(p); class != "" {
		return class, clockOf(c.Case, p, class)
	}
	culprit := c.culprit(p.A, p.B)
	if c.lookedFirst(p, commands, culprit == nemesis.Nothing) {
		return verdict.CheckThenSet, ""
	}
	if culprit == nemesis.Durability && needsNoLoss(c.Case, p, commands) {
		return verdict.DoubleGrant, ""
	}
	switch {
	case asksNoServer(c.Case):
		return verdict.DoubleGrant, ""
	case culprit >= nemesis.ClientClocks:
	case c.onlyLate(p, commands):
		return verdict.LateMessage, ""
	case has(commands, verdict.ForeignDelete, verdict.PossibleDelete):
		return verdict.ReleasedByNonOwner, ""
	case has(commands, verdict.LateDelete):
		return verdict.LateMessage, ""
	}
	class, assumption = classOf(culprit)
	switch {
	case class == verdict.Clock && (neverShown(c.Case, p.A) || neverShown(c.Case, p.B)):
		return verdict.NoServer, "" // no clock ends what no server gave
	case class == verdict.LostByServer && c.byConnection(p.A, p.B.From):
		return verdict.SessionLost, "" // a server that ends ends its connections
	case class == verdict.LostByServer && c.emptied(p.A, p.B, func(f *record.Fault) bool {
		return c.mayLose(f, p.A, p.B)
	}):
		class = verdict.Vanished
	}
	return class, assumption
}

// neverShown reports whether no server's answer shows that it gave a client the lock, neither
// before the client was inside nor afterwards.
func neverShown(c *Case, h *record.Hold) bool {
	later := c.trace.SentWithin(h.Process, h.From, h.Returned)
	return c.quorums().noServer(h) && !slices.ContainsFunc(later, c.quorums().showsOwn)
}

// cameLate reports whether the last reply that a client got before it was inside came when the
// lease of its grant was over. Without a trace by the client itself that is when it got inside.
func (c classifier) cameLate(h *record.Hold) bool {
	if c.history.Header.WholeTrace {
		return h.CameLate()
	}
	at, sent := int64(0), c.trace.SentWithin(h.Process, h.Call, h.From)
	numbered := slices.ContainsFunc(sent, func(m *history.Command) bool { return m.N == h.N })
	for _, m := range sent {
		ofCall := m.N == h.N || !numbered && m.N == 0 && c.trace.MayBeOf(m, h.Key)
		if m.Recv <= h.From && ofCall && !c.quorums().ofOther(m, h.Key) {
			at = max(at, m.Recv)
		}
	}
	return cmp.Or(at, h.From) >= h.Leases[0].To+h.Later
}

// stoodClock returns the assumption that a client's clock goes on, if its grant would have come
// within the lease but for the time that its machine was suspended. Otherwise it returns "".
func (c classifier) stoodClock(p *record.Pair) string {
	late := p.A
	if !c.cameLate(p.A) {
		late = p.B
	}
	stood := c.excuses().clockStood(late)
	if stood > 0 && late.From-stood < late.Leases[0].To {
		return nemesis.ClientClocks.String()
	}
	return ""
}

// grantedBefore reports whether the trace shows that one hold was granted before another.
func grantedBefore(c *Case, a, b *record.Hold) bool {
	first, second := c.trace.GrantOf(a), c.trace.GrantOf(b)
	return first != nil && second != nil && first.Recv < second.Sent
}

// deletes reports whether a command of a witness deleted the first holder's key, or may have.
func deletes(commands []command) bool {
	return slices.ContainsFunc(commands, func(m command) bool { return m.Kind.Deletes() })
}

// neverCopied reports whether the server of the second grant never had the first holder's key: its
// link to the first one was cut from before the first grant until a promotion after it.
func (c classifier) neverCopied(p *record.Pair) bool {
	ga, gb := c.trace.GrantOf(p.A), c.trace.GrantOf(p.B)
	if ga == nil || gb == nil || ga.Node == gb.Node || c.quorums().independent() {
		return false
	}
	taken := takenAt(c.Case, p.A)
	promoted := slices.IndexFunc(c.faults, func(f record.Fault) bool {
		return f.Promotes() && f.Target == gb.Node && f.From >= taken
	})
	return promoted >= 0 && slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Action == nemesis.Cut && f.Target == ga.Node+">"+gb.Node &&
			f.From <= taken && f.To >= c.faults[promoted].From
	})
}

// lookedFirst reports whether both clients read the key as free before the other wrote it. A free
// key shows that alone if nothing can have lost a write.
func (c classifier) lookedFirst(p *record.Pair, commands []command, kept bool) bool {
	before := func(h, other *record.Hold) bool {
		next := c.trace.GrantOf(other)
		return next != nil && slices.ContainsFunc(commands, func(m command) bool {
			return m.Kind == verdict.Look && m.Process == h.Process && m.N == h.N &&
				(m.Recv <= next.Sent || kept && m.Sent < next.Recv)
		})
	}
	return before(p.A, p.B) && before(p.B, p.A)
}

// emptied reports whether only an operator's deletion of all keys can have lost what a server had
// between two grants. mayLose reports whether a fault can have lost it.
func (c classifier) emptied(a, b *record.Hold, mayLose func(*record.Fault) bool) bool {
	flushed, taken := false, firstTaken(c.Case, a, b)
	for _, f := range c.faults {
		if f.Breaks() != nemesis.Durability || f.From >= b.From || f.To <= taken || !mayLose(&f) {
			continue
		}
		if f.Action != nemesis.Flush {
			return false
		}
		flushed = true
	}
	return flushed
}

// asksNoServer reports whether clients take the lock without any command to a server that was
// traced: no fault of a server can have freed it.
func asksNoServer(c *Case) bool {
	h := &c.history.Header
	return h.System == "" && h.Environment != "" && c.trace.Named() && len(c.trace.Commands) == 0
}

// onlyLate reports whether all that may have deleted the first holder's key came late.
func (c classifier) onlyLate(p *record.Pair, commands []command) bool {
	ga, any := c.trace.GrantOf(p.A), false
	for i := range commands {
		if m := &commands[i]; m.Kind.Deletes() {
			if ga == nil || !c.late(&m.Command, ga) {
				return false
			}
			any = true
		}
	}
	return any
}

// ofKey returns the class of a key that was free although its holder's lease ran: the commands had
// asked for a shorter lease, or the key vanished. It returns "" if neither is certain.
func (c classifier) ofKey(p *record.Pair) string {
	if c.quorums().independent() {
		if short := c.shortLease(p.A); short != nil && p.A.Granting+short.lease <= p.B.From {
			return verdict.PromisedTooLong
		}
		return ""
	}
	ga, gb := c.trace.GrantOf(p.A), c.trace.GrantOf(p.B)
	if ga == nil || gb == nil || !c.trace.TakesFree(gb) {
		return ""
	}
	if gb.Sent < ga.Recv {
		return ofTakesAtOnce(c.Case, p, ga, gb)
	}
	next := c.keyFacts().takenBefore(ga, gb)
	free := min(next.Recv, gb.Recv) // the key was free at the latest
	switch l := c.keyFacts().keyLeaseOf(p.A, ga, free); {
	case l.end <= free && l.renewed:
		return verdict.LostRenewal
	case l.end <= free:
		return verdict.PromisedTooLong
	case ga.Node == gb.Node && !c.keyFacts().freedInside(p.A, next) &&
		c.keyFacts().vanished(ga, next):
		return verdict.Vanished
	}
	return ""
}

// clockOf returns the assumption that a client's clock is right, if a clock that was moved may be
// why the first holder asked for a short lease. Otherwise it returns "".
func clockOf(c *Case, p *record.Pair, class string) string {
	if class == verdict.PromisedTooLong && c.ownClockMoved(p.A) {
		return nemesis.ClientClocks.String()
	}
	return ""
}

// onlyLaterEnded reports whether only the second holder's session can have ended: that client still
// waited for its reply when the first one got inside, and its session may have ended by then. It
// returns false if the trace has the first grant, or if the second client was told of its loss only
// when the overlap was over.
func (c classifier) onlyLaterEnded(p *record.Pair) bool {
	return c.trace.GrantOf(p.A) == nil && p.B.Call < p.A.From &&
		(p.B.Lost <= p.To || !c.expired(p.B, p.A.From)) &&
		c.endedSession(p.B, p.A.From) && !c.endedSession(p.A, p.B.From)
}

// endedSession reports whether the session of a hold may have ended before a stamp.
func (c classifier) endedSession(h *record.Hold, at int64) bool {
	return c.slept(h, at) || c.expired(h, at) || c.cutOff(h, at)
}

// bySession reports whether a hold is bound to a session: no grant says when its lease ends.
func (c classifier) bySession(h *record.Hold, t int64) bool {
	d := c.history.Header.Declares
	return d.Lease && d.Loss && h.LeaseAt(t) == record.Forever
}

// cutOff reports whether a fault kept servers from a holder for so long that its session may have
// ended at a stamp. It is for systems without a trace of commands.
func (c classifier) cutOff(h *record.Hold, at int64) bool {
	silence := c.endsSession(h.Process)
	if silence == 0 || len(c.trace.Commands) > 0 || !c.bySession(h, at) {
		return false
	}
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		process, client := f.Client()
		return !f.MovesClock() && (!client || process == h.Process) && f.To > h.Call &&
			f.From+silence <= at
	})
}

// disconnected reports whether a fault closed a holder's connections before a stamp, if the hold is
// bound to a connection.
func (c classifier) disconnected(h *record.Hold, at int64) bool {
	return c.byConnection(h, at) && slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Disconnects(h.Process) && f.To >= h.Call && f.From < at
	})
}

// byConnection reports whether a hold ends with its client's connection: the hold has no lease, and
// the system frees the locks of an ended connection.
func (c classifier) byConnection(h *record.Hold, at int64) bool {
	return nemesis.HoldsByConnection(c.history.Header.System) && h.LeaseAt(at) == record.Forever
}

// endsSession returns for how long a client must be silent until its session may end, or 0 if the
// lease is not known. Systems count leases in whole seconds. When the silence begins, the last
// renewal may be half a lease old: the clients of etcd and ZooKeeper renew each third of it.
func (c classifier) endsSession(process int) int64 {
	lease := (c.history.Header.LeaseOf(process).D() + time.Second - 1).Truncate(time.Second)
	return int64(lease / 2)
}

// slept reports whether a holder stood still for so long that its session may have ended at a
// stamp: only a client that runs prolongs a lease whose end no grant tells.
func (c classifier) slept(h *record.Hold, at int64) bool {
	silence := c.endsSession(h.Process)
	if !c.history.Header.Declares.Lease || silence == 0 || h.LeaseAt(at) != record.Forever {
		return false
	}
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Pauses() && f.Hits(h.Process) && f.To > h.Call-silence &&
			f.From+silence <= min(f.To, at)
	})
}

// expired reports whether a holder was told that its hold is over, if no grant says when its lease
// ends: a session holds the lock, and the session ended. The loss of a server may be the reason,
// but the writes that the servers had confirmed survived.
func (c classifier) expired(h *record.Hold, at int64) bool {
	return c.bySession(h, at) && h.Lost < record.Forever
}

// certain returns the commands of a witness that were answered, without deletions that may not have
// done it. One of several deletions, of which one did it, counts as if it was alone.
func certain(commands []command) (out []command) {
	for _, m := range commands {
		if trace.Answered(&m.Command) && !m.Unsure {
			if m.OneOf {
				m.Kind = verdict.ForeignDelete
			}
			out = append(out, m)
		}
	}
	return out
}

// classOf returns the class of a lock that was granted twice because an assumption was broken.
func classOf(broken nemesis.Assumption) (class, assumption string) {
	switch broken {
	case nemesis.Durability:
		return verdict.LostByServer, broken.String()
	case nemesis.ServerClocks, nemesis.ClientClocks:
		return verdict.Clock, broken.String()
	}
	return verdict.DoubleGrant, ""
}

// culprit returns the gravest kind of fault between the grants of two holds, or before the first
// one if its effect lasts.
func (c classifier) culprit(a, b *record.Hold) nemesis.Assumption {
	return gravest(c.Case, a, b, func(f *record.Fault) bool { return c.mayLose(f, a, b) })
}

// gravest returns the gravest kind of fault between two grants: a clock that was moved, or a fault
// that loses writes and may have lost something of these.
func gravest(c *Case, a, b *record.Hold, mayLose func(*record.Fault) bool) nemesis.Assumption {
	worst, taken := nemesis.Nothing, firstTaken(c, a, b)
	for i := range c.faults {
		f := &c.faults[i]
		switch {
		case f.Breaks() == nemesis.ServerClocks && !c.classifier().expires(a),
			f.Breaks() == nemesis.ClientClocks && (c.classifier().byConnection(a, b.From) ||
				c.classifier().timedByServer(a, b)): // no such clock ends it
			continue
		}
		loses := f.Breaks() == nemesis.Durability && f.To > taken && mayLose(f)
		skews := f.Skews(min(a.Call, b.Call)) || // a call may have read the clock when it began
			f.MovesClock() && namesTime(c, a) // a client may have read it at any time
		if f.From < b.From && (loses || skews && c.concerns(f, a, b.From)) {
			worst = max(worst, f.Breaks())
		}
	}
	return worst
}

// concerns reports whether a fault of a clock or a memory may have ended a hold before a stamp: it
// hit its client, another that sent a command for the key, or a server that may have granted it.
func (c *Case) concerns(f *record.Fault, h *record.Hold, until int64) bool {
	grant := c.trace.GrantOf(h)
	if grant == nil {
		return true
	}
	ofKey := c.trace.OfKey(trace.Key(grant))
	if process, client := f.Client(); client {
		return process == h.Process || slices.ContainsFunc(trace.SentSince(ofKey, h.Call),
			func(m *history.Command) bool { return m.Process == process && m.Sent <= until })
	}
	there := func(m *history.Command) bool { return m.Node == f.Target }
	return !c.quorums().independent() || !slices.ContainsFunc(ofKey, there) ||
		slices.ContainsFunc(c.trace.Tries(h), func(m *history.Command) bool {
			return there(m) && c.trace.MayVote(m)
		})
}

// expires reports whether a server may end the key of a grant by its own clock: some command gives
// the key an expiry, or the effect of a command is unknown.
func (c classifier) expires(h *record.Hold) bool {
	ga := c.trace.GrantOf(h)
	return ga == nil || slices.ContainsFunc(c.trace.OfKey(trace.Key(ga)),
		func(m *history.Command) bool {
			e := trace.EffectOf(m.Args)
			return e.Kind == trace.Script || e.Kind == trace.Expire || e.Expiry != (trace.Expiry{})
		})
}

// timedByServer reports whether only a server's clock ends the key of a first grant, as far as the
// commands show: both clients took a free key, the first told its length, and none a time of day.
func (c classifier) timedByServer(a, b *record.Hold) bool {
	ga, gb := c.trace.GrantOf(a), c.trace.GrantOf(b)
	if ga == nil || gb == nil || !c.trace.TakesFree(ga) || !c.trace.TakesFree(gb) {
		return false
	}
	_, known := c.trace.Asked(ga)
	return known && !namesTime(c.Case, a)
}

// namesTime reports whether a command since the grant of a hold names a time of day as the end of
// the key.
func namesTime(c *Case, h *record.Hold) bool {
	ga := c.trace.GrantOf(h)
	return ga != nil && slices.ContainsFunc(trace.SentSince(c.trace.OfKey(trace.Key(ga)), ga.Sent),
		func(m *history.Command) bool { return trace.EffectOf(m.Args).Expiry.Absolute })
}
