package rules

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules/progress"
	"github.com/lockbench/lockbench/checker/verdict"
)

// outageRule judges A, and finds clients that starve.
type outageRule struct{ *Case }

// outage measures for how long no client was granted the lock while a fault was under way, although
// a client asked for it. It subtracts the time when a client was inside. The property is violated
// if that was longer than the bound of progress: the lock cannot be used while the fault lasts. It
// also reports a shorter time. It is not applicable if only clients waited that long that the fault
// stopped, or whose own links it struck.
func (c outageRule) outage() property {
	under := c.underway()
	if len(under) == 0 {
		return notApplicable("no fault of a server or a link lasted for a time")
	}
	bound, known := c.waits().bound()
	unserved := c.unserved() // an outage then must not hide another
	key, worst, longest := c.longest(under, unserved)
	excused := longest <= bound
	if excused {
		unserved = nil
		key, worst, longest = c.longest(under, nil)
	}
	any, locks := int64(0), c.waits().locks() // any counts the clients that were struck, too
	for i := range locks {
		_, _, ns := withoutGrant(&locks[i], tries(&locks[i]), under)
		any = max(any, ns)
	}
	p := valid
	switch {
	case longest > 0 && !known:
		p = unknown("neither the record nor the trace tells how long clients pause between two tries")
	case longest <= bound && any > bound:
		return notApplicable("only clients that the fault itself stopped or cut off waited for longer " +
			"than the bound")
	case len(c.Record.Holds) == 0:
		p = unknown("no client was granted the lock at any time, so that the fault need not be why")
	case longest > bound && c.shortWithoutLost(under, bound, unserved):
		p = stalled("no client was granted the lock for too long while a fault lasted, but the machine " +
			"stalled or commands were lost meanwhile, which may be why")
	case longest > bound:
		worst.Process = c.waiting(key, worst.From)
		p = violated(key, worst)
		if excused {
			p.Assumption = verdict.ServersAnswer
		}
		longest = c.tried(key, worst)
		p.Explanation = explain.Outage(key, worst.From, worst.To, longest, bound,
			c.faultsDuring(worst.From, worst.To), refusalIn(c.trace.Commands, worst.From, worst.To))
	}
	p.Seconds = float64(longest/int64(time.Millisecond)) / 1000
	return p
}

// longest returns the longest outage: its lock, its time, and for how long clients were trying in
// it that no fault had stopped or cut off, in ns. It leaves out the other times.
func (c outageRule) longest(under, other []record.Interval) (key int, worst hold, longest int64) {
	locks, alone := c.waits().locks(), c.ownFaults(other)
	for i := range locks {
		open := tries(&locks[i]).Subtract(alone)
		if from, to, ns := withoutGrant(&locks[i], open, under); ns > longest {
			key, longest, worst = locks[i].Key, ns, hold{Process: -1, From: from, To: to}
		}
	}
	return key, worst, longest
}

// tried returns for how long, in ns, clients were trying in an outage that no fault had stopped or
// cut off.
func (c outageRule) tried(key int, o hold) int64 {
	open := tries(c.waits().lock(key)).Subtract(c.ownFaults(nil))
	return open.Clip(record.Interval{From: o.From, To: o.To}).Covered()
}

// underway returns the disjoint, sorted times when some fault was under way or a server refused to
// serve. A fault of one client alone does not count: the others go on.
func (c outageRule) underway() []record.Interval {
	var all []record.Interval
	for i := range c.faults {
		f := &c.faults[i]
		if _, client := f.Client(); client {
			continue
		}
		if to := min(c.faultTimes().overs()[i], c.Record.End, c.trust.Cut); to > f.From {
			all = append(all, record.Interval{From: f.From, To: to})
		}
	}
	all = append(all, refusing(c.trace.Commands, c.trust.Cut)...)
	return record.Union(all)
}

// ownFaults returns a function that returns when a fault stopped a client, or struck only the links
// of this client. No lock can serve the client then, and the other clients go on. It adds other
// times.
func (c outageRule) ownFaults(other []record.Interval) func(process int) []record.Interval {
	// a lock may have a million calls
	return remembered(func(process int) (times []record.Interval) {
		for i := range c.faults {
			f := &c.faults[i]
			if f.StrikesLinksOf(process, !c.quorums().independent()) || f.Pauses() && f.Hits(process) {
				times = append(times, record.Interval{From: f.From, To: c.faultTimes().overs()[i]})
			}
		}
		return record.Union(slices.Concat(times, c.stood(process), other))
	})
}

// shortWithoutLost reports whether every outage is within the bound when three things are taken
// out: the time that was lost for another reason than a fault, the other times, and the clients
// that a fault stopped or cut off.
func (c outageRule) shortWithoutLost(under []record.Interval, bound int64,
	other []record.Interval) bool {
	locks, alone := c.waits().locks(), c.ownFaults(other)
	for i := range locks {
		l := &locks[i]
		struck, _ := c.excuses().strikes(l)
		struck = append(struck, c.excuses().blocking(l)...)
		open := tries(l).Subtract(remembered(func(process int) []record.Interval {
			return record.Union(slices.Concat(struck, c.excuses().lostTime(process), alone(process)))
		}))
		if _, _, ns := withoutGrant(l, open, under); ns > bound {
			return false
		}
	}
	return true
}

// withoutGrant returns the longest part between two grants of the times under a fault, without the
// times when a client held the lock, and for how much of it a client had an acquire call open.
func withoutGrant(l *record.Lock, open progress.Wants, under []record.Interval) (from, to,
	longest int64) {
	part := func(begin, end int64) {
		if end-begin <= longest {
			return
		}
		if ns := open.Clip(record.Interval{From: begin, To: end}).Covered(); ns > longest {
			from, to, longest = begin, end, ns
		}
	}
	// left is when the clients that were granted the lock so far had left it. A release whose answer
	// the fault delays is a part of the outage.
	next, left := 0, int64(0)
	for _, u := range under {
		for ; next < len(l.Holds) && l.Holds[next].From < u.To; next++ {
			part(max(u.From, left), l.Holds[next].From)
			left = max(left, l.Holds[next].End)
		}
		part(max(u.From, left), u.To)
	}
	return from, to, longest
}

// tries returns the times when clients tried to get a lock, with any result. Between two calls at
// most a second apart they rest: a call that finds no server is over at once.
func tries(l *record.Lock) progress.Wants {
	var out []progress.Want
	for _, k := range l.Calls {
		out = append(out, progress.Want{From: k.From, To: k.To, Process: k.Process})
	}
	return progress.Sort(out).Resting(int64(grace))
}

// waiting returns a client that had an acquire call open after a stamp.
func (c outageRule) waiting(key int, t int64) int {
	for _, k := range c.waits().lock(key).Calls {
		if k.To > t {
			return k.Process
		}
	}
	return 0
}

// faultsDuring returns the faults on servers or links that were under way for some of a time.
func (c outageRule) faultsDuring(from, to int64) (out []*record.Fault) {
	for i := range c.faults {
		f := &c.faults[i]
		if _, client := f.Client(); !client && f.From < to && from < c.faultTimes().overs()[i] {
			out = append(out, f)
		}
	}
	return out
}
