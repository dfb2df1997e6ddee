package rules

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// lostBehind returns a function that tells the time that a client lost for a lock. It includes the
// time that other clients lost while this one may have waited for them.
func (c excuses) lostBehind(l *record.Lock) func(process int) []record.Interval {
	before := c.blocking(l)
	return remembered(func(process int) []record.Interval {
		return record.Union(slices.Concat(before, c.lostTime(process)))
	})
}

// blocking returns the time that clients lost while they asked for a lock, held or released it, so
// that others may have waited for them. Without a trace, a client may have lost its session
// meanwhile, and the session blocks the others for another lease.
func (c excuses) blocking(l *record.Lock) (out []record.Interval) {
	busy := busyWith(c.Record, l)
	for _, g := range c.Record.Gaps {
		if g.Planned || !busy[g.Process].Meets(g.From, g.To) {
			continue
		}
		if len(c.trace.Commands) == 0 && g.Length() >= c.classifier().endsSession(g.Process)/2 {
			g.To += c.waits().longestLease()
		}
		out = append(out, record.Interval{From: g.From, To: g.To})
	}
	return out
}

// busyWith returns when each client asked for a lock, held or released it.
func busyWith(r *record.Record, l *record.Lock) map[int]record.Reach {
	times := map[int][]record.Interval{}
	for _, k := range l.Calls {
		times[k.Process] = append(times[k.Process], record.Interval{From: k.From, To: k.To})
	}
	for _, h := range l.Holds {
		times[h.Process] = append(times[h.Process], record.Interval{From: h.Call, To: r.LeftAt(h)})
	}
	return record.ReachBy(times)
}

// joinGaps sorts gaps by their begin and joins the ones that overlap. It changes its argument.
func joinGaps(all []record.Gap) (out []record.Gap) {
	slices.SortFunc(all, func(a, b record.Gap) int { return cmp.Compare(a.From, b.From) })
	for _, g := range all {
		if n := len(out) - 1; n >= 0 && g.From <= out[n].To {
			out[n].To = max(out[n].To, g.To)
			continue
		}
		out = append(out, g)
	}
	return out
}

// lostCalls returns the times when a lock without a trace may be taken only because a call has lost
// its reply: the machine stood still so long that its connection may have broken. The leftover
// lives as long as the session, until a lease after its client's end.
func (c excuses) lostCalls(l *record.Lock) (out []record.Interval) {
	if len(c.trace.Commands) > 0 {
		return nil
	}
	add := func(process int, from, to int64) {
		lost, _ := c.lostBetween(process, from, to)
		if lost > 0 && lost >= c.classifier().endsSession(process)/2 {
			out = append(out, record.Interval{From: from, To: c.sessionOver(process)})
		}
	}
	for _, k := range l.Calls {
		if k.Outcome == history.Info {
			add(k.Process, k.From, k.To)
		}
	}
	for _, h := range l.Holds {
		if h.Answer == history.Info {
			add(h.Process, h.End, h.Returned)
		}
	}
	return out
}

// sessionOver returns when the session of a dead client is over, or Forever.
func (c excuses) sessionOver(process int) int64 {
	if t := c.waits().endOf(process); t < record.Forever {
		return t + c.waits().longestLease()
	}
	return record.Forever
}
