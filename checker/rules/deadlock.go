package rules

import (
	"cmp"
	"slices"
	"sort"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules/leftover"
	"github.com/lockbench/lockbench/checker/rules/progress"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// contention is the number of bounds for which clients may split the votes, so that none wins. More
// is a violation: each attempt waits for a new random time, so one client should win much earlier.
const contention = 5

// deadlockRule judges D, progress. Some live client that waits for the lock must be granted it
// within the bound, unless a fault is under way or a live hold or lease keeps the lock.
type deadlockRule struct{ *Case }

// deadlock returns the result for D. A violation is certain at once if a client was killed inside a
// hold without a lease, and no client was granted the lock afterwards although one tried. It is
// certain by deadline if, for longer than the bound, no client was inside, came or left, no fault
// was under way and no outcome was unknown, while the servers answered the open calls of clients. A
// client that waits while others are granted the lock is not a violation, since every grant starts
// the time anew, unless it entered its own leftover. After a fault, D is valid only if a client was
// granted the lock again.
func (c deadlockRule) deadlock() property {
	if len(c.Record.Calls) == 0 {
		return notApplicable("no client tried to acquire the lock")
	}
	locks := c.waits().locks()
	for i := range locks {
		if p, ok := c.abandoned(&locks[i]); ok {
			return p
		}
	}
	bound, known := c.waits().bound()
	calls := c.waits().openCalls()
	if k := c.waits().hanging(calls, bound); k != nil {
		p := violated(k.Key, hold{Process: k.Process, N: k.N, From: k.From, To: k.To})
		p.Class = hangingClass(c.Case, k)
		p.Explanation, p.Cause = explain.Hanging(k), explain.HangingCause(k)
		return p
	}
	switch {
	case !known && c.uncontended():
		return notApplicable("no client had to wait for the lock")
	case !known:
		return unknown(noPause)
	}
	doubt := property{Verdict: verdict.Valid}
	for i := range locks {
		if p, ok := c.stuck(&locks[i]); ok {
			doubt = verdict.Worse(doubt, p)
		}
	}
	if doubt.Verdict != verdict.Valid {
		return doubt
	}
	p := c.recovery(locks, bound)
	if k := c.waits().overdue(calls, bound); k != nil && len(c.faultTimes().unhealed()) == 0 {
		return unknown("%s", explain.Overdue(k))
	}
	return p
}

// abandoned finds a hold without a lease that a killed client left behind for ever: no client was
// granted the lock afterwards, although one tried.
func (c deadlockRule) abandoned(l *record.Lock) (property, bool) {
	var left []*record.Hold
	for _, h := range l.Holds {
		if c.endless(h) {
			left = append(left, h)
		}
	}
	if len(left) == 0 {
		return property{}, false
	}
	granted, denied := grantedAndDenied(l)
	for _, h := range left {
		since := h.End + 1
		tried := denied.MeetsOther(since, record.Forever, h.Process) || c.blocked(l, since)
		if tried && !granted.MeetsOther(since, record.Forever, h.Process) && !c.forgotten(h) {
			p := violated(h.Key, wholeHold(h))
			p.Explanation, p.Cause = explain.Abandoned(h), explain.AbandonedCause(h)
			return p, true
		}
	}
	return property{}, false
}

// blocked reports whether a client waited in vain after a stamp, for longer than the sum of the
// longest lease and a second, in a command that waits, such as BLPOP. It returns false if a command
// after the stamp may have deleted the key, or if an acquire call may have taken it: the call sent
// a command that neither waits nor was denied.
func (c deadlockRule) blocked(l *record.Lock, since int64) (waits bool) {
	for _, m := range c.trace.OfLock(l.Key) {
		if m.Sent >= since && c.trace.MayHaveDeleted(m) {
			return false
		}
	}
	for _, k := range l.Calls {
		for _, m := range c.waits().commandsOf(k) {
			switch {
			case m.Sent < since || c.trace.Denied(m):
			case !trace.Blocks(m):
				return false
			default:
				waits = waits || c.blocks(k, m)
			}
		}
	}
	return waits
}

// blocks reports whether a command kept its client waiting in vain for a second and a lease or
// longer, while no fault struck either.
func (c deadlockRule) blocks(k *record.Call, m *history.Command) bool {
	to := k.To
	if m.Recv != 0 {
		to = min(to, m.Recv)
	}
	return to-m.Sent > c.waits().boundFor(0, to) && (!trace.Answered(m) || m.Reply == "(nil)") &&
		!c.quorums().struckCommand(m) && !c.waits().wasStopped(k.Process, m.Sent, to)
}

// endless reports whether a client was killed inside of a hold whose lease never ends, as far as
// the commands show.
func (c deadlockRule) endless(h *record.Hold) bool {
	inside := h.Ended == record.Killed && h.From <= h.End && h.End < c.trust.Cut
	if !inside || h.LeaseEnd() != record.Forever || c.history.Header.Declares.Lease {
		return false
	}
	grant := c.trace.GrantOf(h)
	return !c.keyFacts().mayExpire(h, grant) &&
		(grant == nil || c.keyFacts().keyLeaseOf(h, grant, h.End).end == record.Forever)
}

// grantedAndDenied returns when acquire calls for a lock were granted, and when the denied ones
// began.
func grantedAndDenied(l *record.Lock) (granted, denied record.Reach) {
	var yes, no []record.Interval
	for _, k := range l.Calls {
		switch {
		case k.Outcome == history.OK:
			yes = append(yes, record.Interval{From: k.To, To: k.To, Process: k.Process})
		case k.Denied():
			no = append(no, record.Interval{From: k.From, To: k.From, Process: k.Process})
		}
	}
	return record.NewReach(yes), record.NewReach(no)
}

// forgotten reports whether the key of a hold may have gone with its server.
func (c deadlockRule) forgotten(h *record.Hold) bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Forgets() && f.To > h.From
	})
}

// stuck looks for a time when no client that waited was granted the lock for too long.
func (c deadlockRule) stuck(l *record.Lock) (property, bool) {
	doubt, found := c.lockedOut(l)
	if doubt.Verdict == verdict.Violated {
		return doubt, true
	}
	if p, ok := c.ungranted(l); ok {
		return p, true
	}
	return doubt, found
}

// ungranted looks for a time when no client was granted the lock for too long. It subtracts lost
// time: see lostTime. If only that brings the wait below the bound, the result is unknown.
func (c deadlockRule) ungranted(l *record.Lock) (property, bool) {
	wanted, busy := c.waits().wants(l), c.faultTimes().disturbances(l)
	if _, _, ok := wanted.Lasts(c.waits().boundFor(0, 0)); !ok {
		return property{}, false // not even with all disturbances
	}
	lost, struck := c.excuses().strikes(l)
	if p, ok := c.keptOut(l, wanted, slices.Concat(busy, lost), c.excuses().lostBehind(l)); ok {
		return p, true
	}
	none := func(int) []record.Interval { return nil }
	if _, ok := c.keptOut(l, wanted, busy, none); ok {
		why := explain.Stall(c.Record.WorstStall()) + explain.Say(" meanwhile, which may be why")
		if struck != nil {
			why = explain.Unanswered(struck)
		}
		return stalled("no client was granted the lock for too long, but %s", why), true
	}
	return property{}, false
}

// keptOut looks for a quiet time when clients wanted the lock for too long. It subtracts the time
// that they lost.
func (c deadlockRule) keptOut(l *record.Lock, wanted progress.Wants, busy []record.Interval,
	lost func(process int) []record.Interval) (property, bool) {
	for _, q := range progress.QuietTimes(busy, c.waits().boundFor(0, 0)) {
		w := wanted.Clip(q)
		bound, known := c.waits().boundWithin(l.Key, q)
		if !known {
			if _, _, ok := w.Subtract(lost).Lasts(bound); ok {
				return unknown(noPause), true
			}
			continue
		}
		need := c.patience(l, q, bound)
		if need > bound {
			held := heldTogether(c.Case, l)
			w = w.Subtract(func(int) []record.Interval { return held })
		}
		if from, to, ok := w.Subtract(lost).Lasts(need); ok {
			if client := c.mayStillHold(l, from); client >= 0 {
				return unknown("%s", explain.StillHeld(client)), true
			}
			p := violated(l.Key, hold{Process: w.Process(from), From: from, To: to})
			wait := explain.Wait{Key: l.Key, Process: w.Process(from), From: from,
				To: to, Bound: bound, Contention: need > bound, Votes: c.quorums().votes(l, q),
				Left: c.keptBy(l, from, to)}
			wait.Error, wait.Last = ownError(c.Case, l, from, to)
			if left := wait.Left; left != nil && left.Renewal != nil {
				p.Witness.Commands = []command{{Command: *left.Renewal, Kind: verdict.Renewal,
					Of: left.Renewal.Process, Effect: explain.Keeps(left.Renewal.Process)}}
			}
			p.Class, p.Explanation = stuckClass(c.Case, wait), explain.Stuck(wait)
			p.Cause = cmp.Or(explain.StuckCause(wait), c.faultTimes().promotedWithout(l, from))
			return p, true
		}
	}
	return property{}, false
}

// mayStillHold returns the last holder of a lock before a stamp if its session may still have the
// lock: the outcome of its release is unknown, and nothing killed its process. Otherwise, and for
// Redis, whose commands show what happened, it returns -1.
func (c deadlockRule) mayStillHold(l *record.Lock, at int64) int {
	var last *record.Hold
	for _, h := range l.Holds {
		if h.From <= at && (last == nil || h.From > last.From) {
			last = h
		}
	}
	if last == nil || c.history.Header.System == "" || last.LeaseAt(at) != record.Forever ||
		last.Answer != history.Info || c.waits().endOf(last.Process) != record.Forever {
		return -1
	}
	return last.Process
}

// noPause is why it is unknown how soon a client must be granted a free lock.
const noPause = "neither the record nor the trace tells how long clients pause between " +
	"two tries, " +
	"so it is unknown how soon one must be granted the lock"

// patience returns for how long clients must be kept out in a quiet time until that is a violation.
func (c deadlockRule) patience(l *record.Lock, q record.Interval, bound int64) int64 {
	if c.quorums().mayContend(l, q) {
		return contention * bound
	}
	return bound
}

// keptBy returns the leftover key that blocked clients from a lock of one server between two
// stamps, with the fate of its writer. It returns nil if that is unknown.
func (c deadlockRule) keptBy(l *record.Lock, since, until int64) *explain.Leftover {
	if c.quorums().independent() {
		return nil
	}
	left := leftover.LastWriter(c.trace, c.faults, c.trace.OfLock(l.Key), since)
	if left == nil { // it was written at the beginning of that time
		left = leftover.LastWriter(c.trace, c.faults, c.trace.OfLock(l.Key), until)
	}
	if left != nil && !c.keyFacts().stillThere(l, left.Command, until) {
		return nil
	}
	if left != nil {
		left.Header, left.Lease = c.history.Header, c.waits().longestLease()
		leftover.Fate(c.Record, l.Holds, left)
		left.Took = c.trace.Declared(left.Command) && c.trace.Takes(left.Command)
		left.Renewal = leftover.Renewal(c.trace, l.Key, since, until)
	}
	return left
}

// promotedWithout says that a server took over that had not heard of a release before a stamp, and
// that no other client was granted the lock since. It returns "" if that is not known.
func (c faultTimes) promotedWithout(l *record.Lock, at int64) string {
	before := slices.DeleteFunc(slices.Clone(l.Holds), func(h *record.Hold) bool {
		return h.Call >= at
	})
	for _, h := range slices.Backward(before) {
		if h.Process != before[len(before)-1].Process || h.Answer != history.OK {
			return ""
		}
		grant := c.trace.GrantOf(h)
		for _, f := range c.faults {
			if grant != nil && f.Promotes() && f.Target != grant.Node &&
				f.From < at && f.To > h.End {
				return explain.PromotedWithout(f.Target, h)
			}
		}
	}
	return ""
}

// recovery judges a run without a wait longer than the bound.
func (c deadlockRule) recovery(locks []record.Lock, bound int64) property {
	if fs := c.faultTimes().unhealed(); len(fs) > 0 {
		return notApplicable("%s, and that lasted until the run ended: progress is promised only when "+
			"no fault is under way (A says how long no client was granted the lock)", explain.Faults(fs))
	}
	healed, faults := c.faultTimes().healed()
	if !faults {
		return c.judgeFaultless(locks, bound)
	}
	again := false
	for i := range locks {
		l := &locks[i]
		switch {
		case c.recovers(l, healed):
			again = true
		case c.wantedAfter(l, healed):
			quiet := record.Interval{From: healed, To: c.Record.End}
			if c.Record.End-healed > c.patience(l, quiet, bound) {
				return unknown("no client that waited was granted lock %d for %s after the last fault was "+
					"over, but %s", l.Key, explain.Brief(c.Record.End-healed), c.faultTimes().whoHad(l, healed))
			}
			return unknown("the run ended %s after the last fault was over, and no client that waited had "+
				"been granted lock %d again; it is a deadlock only if clients that are answered try in vain "+
				"for %s", explain.Brief(c.Record.End-healed), l.Key,
				explain.Brief(c.patience(l, quiet, bound)))
		}
	}
	if !again {
		return unknown("after the last fault was over no client was granted the lock or told " +
			"that it is taken")
	}
	return valid
}

// judgeFaultless judges a run without a fault.
func (c deadlockRule) judgeFaultless(locks []record.Lock, bound int64) property {
	for i := range locks {
		if k := c.unanswered(&locks[i], bound); k != nil {
			return stalled("at the end of the run clients were not granted the lock, and commands of "+
				"client %d were not answered although no fault held them back: the machine stalled",
				k.Process)
		}
	}
	if c.uncontended() {
		return notApplicable("no client had to wait for the lock")
	}
	return valid
}

// uncontended reports whether no fault struck and no client had to wait for the lock.
func (c deadlockRule) uncontended() bool {
	return c.verdict.Evidence.Contended == 0 && len(c.Record.Calls) == len(c.Record.Holds) &&
		len(c.faults) == 0
}

// recovers reports whether a client was granted the lock after the last fault was over, by a
// command that it sent then. A client that re-acquires its own leftover lock, or leaves the key
// there, is not evidence of recovery.
func (c deadlockRule) recovers(l *record.Lock, healed int64) bool {
	unsure := unsureCalls(l)
	for i, h := range l.Holds {
		if h.Granting >= healed && !c.entersAgain(l, i, unsure[h.Process]) && !c.staysTaken(h) {
			return true
		}
	}
	return false
}

// unsureCalls returns the calls of unknown outcome by process, in the order of their ends.
func unsureCalls(l *record.Lock) map[int][]*record.Call {
	out := map[int][]*record.Call{}
	for _, k := range l.Calls {
		if k.Unsure() {
			out[k.Process] = append(out[k.Process], k)
		}
	}
	return out
}

// entersAgain reports whether a grant may be a re-entry into the same client's leftover lock: it
// had the lock last, its release may not have freed the lock, and the granting command may have
// found the key.
func (c deadlockRule) entersAgain(l *record.Lock, i int, unsure []*record.Call) bool {
	h := l.Holds[i]
	if !c.mayHaveLeft(l, i, unsure) {
		return false
	}
	m := c.trace.GrantOf(h)
	switch {
	case m == nil:
		return c.history.Header.Declares.Reentrant
	case trace.EffectOf(m.Args).Kind == trace.Take:
		return false
	}
	return c.history.Header.Declares.Reentrant || c.trace.Undeclared(m)
}

// mayHaveLeft reports whether a grant may have found a key of its own client. Unsure are the
// client's calls of unknown outcome.
func (c deadlockRule) mayHaveLeft(l *record.Lock, i int, unsure []*record.Call) bool {
	h, since := l.Holds[i], int64(0)
	if i > 0 {
		before := l.Holds[i-1]
		if before.Process == h.Process && (before.Answer != history.OK || c.staysTaken(before)) {
			return true
		}
		since = before.From
	}
	at := sort.Search(len(unsure), func(i int) bool { return unsure[i].To >= since })
	return at < len(unsure) && unsure[at].To <= h.Call
}

// wantedAfter reports whether a live client asked for the lock after a stamp.
func (c deadlockRule) wantedAfter(l *record.Lock, t int64) bool {
	return slices.ContainsFunc(l.Calls, func(k *record.Call) bool {
		return k.To > t && (k.Unsure() || k.Denied())
	})
}

// unanswered returns a call that was not granted and after which no client was granted the lock for
// longer than the bound, if nothing explains why a command of it was not answered.
func (c deadlockRule) unanswered(l *record.Lock, bound int64) *record.Call {
	last := int64(0)
	for _, h := range l.Holds {
		last = max(last, c.Record.LeftAt(h))
	}
	if last > c.Record.End-bound {
		return nil
	}
	for _, k := range l.Calls {
		if k.From >= last && slices.ContainsFunc(c.waits().commandsOf(k), c.excuses().unexplained) {
			return k
		}
	}
	return nil
}

// clientGaps returns the gaps of a client and of the harness that no fault made, by begin. It
// merges overlapping gaps.
func (c *Case) clientGaps(process int) []record.Gap {
	return c.gaps.get(process, func(int) []record.Gap {
		var all []record.Gap
		for _, g := range c.Record.Gaps {
			if !g.Planned && (g.Process == process || g.Process < 0) {
				all = append(all, g)
			}
		}
		return joinGaps(all)
	})
}
