package rules

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
)

// grace is what a client is given beyond the lease and two polls until it must have been granted a
// free lock.
const grace = time.Second

// deadlock judges that a live client that tries is granted the lock in time when no client has it.
//
// Certain at once: a client was killed inside of a lease that never ends, and no client was granted
// the lock afterwards although one tried. Certain by deadline: over a time longer than the
// longest lease, two polls and a second, in which no client was inside, came or left, no fault
// began or ended, no call had an unknown outcome and no process stalled, one client tried all the
// time and was told each time that the lock is held. Only such definite answers count: a lock
// service that cannot be reached is not a deadlock. Where nothing but a stall of the machine may
// excuse the refusals, it is unknown.
func (c *Case) deadlock() property {
	if len(c.Record.Calls) == 0 {
		return notApplicable("no client tried to acquire the lock")
	}
	for i := range c.Record.Holds {
		if p, ok := c.abandoned(&c.Record.Holds[i]); ok {
			return p
		}
	}
	if p, ok := c.starved(true); ok {
		return p
	}
	if _, ok := c.starved(false); ok { // but for the stall it would be certain
		return stalled("a client was refused for too long, but %s meanwhile, which may be why",
			explain.Stall(c.Record.WorstStall()))
	}
	if c.verdict.Evidence.Contended == 0 && len(c.Record.Calls) == len(c.Record.Holds) &&
		c.verdict.Evidence.Faults == 0 {
		return notApplicable("no client had to wait for the lock")
	}
	return valid
}

// abandoned reports whether a hold without a lease was left behind by a client that was killed, for
// ever.
func (c *Case) abandoned(h *record.Hold) (property, bool) {
	if h.Ended != record.Killed || h.LeaseEnd() != record.Forever || h.From >= h.End ||
		h.End >= c.trust.Cut ||
		c.history.Header.Declares.Lease {
		return property{}, false
	}
	tried := false
	for _, k := range c.Record.Calls {
		if k.Process == h.Process || !slices.Contains(k.Keys, h.Key) || k.To <= h.End {
			continue
		}
		if k.Outcome == history.OK {
			return property{}, false
		}
		tried = tried || k.Denied() && k.From > h.End
	}
	for _, f := range c.faults {
		if f.Forgets() && f.To > h.From {
			return property{}, false // whatever holds the key may have gone with the server
		}
	}
	if !tried {
		return property{}, false
	}
	p := violated(h.Key, whole(h))
	p.Explanation = explain.Abandoned(h)
	return p, true
}

// starved looks for a client that was refused for too long while no client was inside. Where gaps
// count, one that no fault made excuses as much of that time as it lasted: its own, since its last
// refusal may be older than its return, or the harness's, through which the answers come. Others
// have nothing to do with it.
func (c *Case) starved(gaps bool) (property, bool) {
	bound := c.bound()
	for _, key := range c.keys() {
		attempts, calm := c.attempts(key), quiet(c.disturbances(key), bound)
		for _, p := range slices.Sorted(maps.Keys(attempts)) {
			var lost []record.Gap
			if gaps {
				lost = c.stallsOf(p)
			}
			if from, to, ok := refusedFor(attempts[p], calm, lost, bound); ok {
				out := violated(key, hold{Process: p, From: from, To: to})
				out.Explanation = explain.Starved(key, p, from, to, bound)
				return out, true
			}
		}
	}
	return property{}, false
}

// stallsOf returns the gaps of a client and of the harness that no fault made, by begin.
func (c *Case) stallsOf(process int) (out []record.Gap) {
	for _, g := range c.Record.Gaps {
		if !g.Planned && (g.Process == process || g.Process < 0) {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b record.Gap) int { return cmp.Compare(a.From, b.From) })
	return out
}

// bound is the time after which a free lock must have been granted.
func (c *Case) bound() int64 {
	return c.longestLease() + 2*int64(c.history.Header.Poll) + int64(grace)
}

// longestLease is that of the header, or of a grant.
func (c *Case) longestLease() int64 {
	ttl := int64(c.history.Header.TTL)
	for i := range c.history.Events {
		if g := c.history.Events[i].Grant; g != nil {
			ttl = max(ttl, int64(g.Lease))
		}
	}
	return ttl
}

func (c *Case) keys() []int {
	keys := map[int]bool{}
	for _, k := range c.Record.Calls {
		for _, key := range k.Keys {
			keys[key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// disturbances returns the times, sorted, in which the lock may have been a client's or something
// else may explain a refusal; stalls of the machine are none.
func (c *Case) disturbances(key int) []record.Interval {
	var out []record.Interval
	add := func(from, to int64) { out = append(out, record.Interval{From: from, To: to}) }
	for i := range c.Record.Holds {
		if h := &c.Record.Holds[i]; h.Key == key {
			add(h.Call, c.Record.Left(h))
		}
	}
	for _, k := range c.Record.Calls {
		if slices.Contains(k.Keys, key) && k.Unsure() {
			add(k.From, k.To)
		}
	}
	for _, f := range c.faults {
		add(f.From, f.From)
		if !f.Lasting {
			add(f.From, f.To)
		} else if f.MovesClock() {
			add(f.From, record.Forever)
		}
	}
	for _, g := range c.Record.Gaps {
		if g.Planned {
			add(g.From, g.To)
		}
	}
	for _, e := range c.Record.Marks {
		if e.Type == history.Kill || e.Type == history.Exit {
			add(e.T, e.T)
		}
	}
	add(c.trust.Cut, record.Forever)
	record.SortIntervals(out)
	return out
}

// attempts returns, by client, the acquire calls of a key that were refused, in order.
func (c *Case) attempts(key int) map[int][]record.Interval {
	out := map[int][]record.Interval{}
	for _, k := range c.Record.Calls {
		if k.Denied() && slices.Contains(k.Keys, key) {
			out[k.Process] = append(out[k.Process], record.Interval{From: k.From, To: k.To,
				Process: k.Process})
		}
	}
	return out
}

// quiet returns the times of at least the given length between disturbances, which are sorted by
// beginning.
func quiet(busy []record.Interval, length int64) []record.Interval {
	var out []record.Interval
	over := int64(0)
	for _, b := range busy {
		if b.From-over >= length {
			out = append(out, record.Interval{From: over, To: b.From})
		}
		over = max(over, b.To)
	}
	return out
}

// refusedFor returns the part of a quiet time in which refused calls of one client cover at least
// bound, without what was lost of them.
func refusedFor(calls, calm []record.Interval, lost []record.Gap, bound int64) (from, to int64,
	ok bool) {
	for _, q := range calm {
		covered := int64(0)
		for _, k := range calls {
			if k.To <= q.From || k.To > q.To {
				continue // a refusal that came after the quiet time may have another reason
			}
			from := max(k.From, q.From)
			covered += k.To - from
			over := from // what two of them lost at the same time counts once
			for _, s := range lost {
				covered -= max(0, min(k.To, s.To)-max(over, s.From))
				over = max(over, s.To)
			}
			if covered >= bound {
				return q.From, k.To, true
			}
		}
	}
	return 0, 0, false
}
