package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// faultTimes tells when faults were under way, and when their effects ended.
type faultTimes struct{ *Case }

func (c *Case) faultTimes() faultTimes { return faultTimes{c} }

// endOf returns when a fault was over; Forever if it never was. A crash of a client is over when
// its process is dead, and so is all that befell one client: the others go on. A server that stays
// away is made good by the promotion of another one. A clock that was moved stays moved.
func (c faultTimes) endOf(f *record.Fault) int64 {
	a, _ := nemesis.ActionOf(f.Action)
	process, client := f.Client()
	switch {
	case client && a.Kills:
		return c.dead(process, f.From)
	case !f.Lasting:
		return f.To
	case f.MovesClock():
		return record.Forever
	case client, a.Kind == nemesis.Momentary:
		return f.From
	}
	return c.madeGood(f)
}

// overs returns the stamps at which the faults were over.
func (c faultTimes) overs() []int64 {
	if c.ends == nil {
		c.ends = make([]int64, len(c.faults))
		for i := range c.faults {
			c.ends[i] = c.endOf(&c.faults[i])
		}
	}
	return c.ends
}

// dead returns when a process that was killed at a stamp was gone.
func (c faultTimes) dead(process int, from int64) int64 {
	for _, e := range c.Record.Marks {
		if e.Type == history.Exit && e.Process == process {
			return max(e.T, from)
		}
	}
	return from
}

// madeGood returns when a promotion moved clients away from the servers that a lasting fault
// struck, or Forever. Of independent servers the first has the replica.
func (c faultTimes) madeGood(f *record.Fault) int64 {
	for _, p := range c.faults {
		if !p.Promotes() || p.From < f.From {
			continue
		}
		if slices.ContainsFunc(f.Servers(), func(s string) bool {
			return s != p.Target && (!c.quorums().independent() || s == "n0")
		}) {
			if p.To == record.Forever {
				return p.From
			}
			return p.To
		}
	}
	return record.Forever
}

// unhealed returns the faults that were never over.
func (c faultTimes) unhealed() (out []*record.Fault) {
	for i := range c.faults {
		if c.overs()[i] == record.Forever {
			out = append(out, &c.faults[i])
		}
	}
	return out
}

// healed returns when the last fault was over, and whether there was one.
func (c faultTimes) healed() (t int64, any bool) {
	for i := range c.faults {
		t = max(t, c.overs()[i])
	}
	for _, e := range c.Record.Marks {
		if e.Type == history.Kill {
			t, any = max(t, c.dead(e.Process, e.T)), true
		}
	}
	return t, any || len(c.faults) > 0
}

// disturbances returns the times when a client may have had the lock, or when something else may
// explain that no client was granted it. Stalls of the machine do not count.
func (c faultTimes) disturbances(l *record.Lock) []record.Interval {
	var out []record.Interval
	add := func(from, to int64) { out = append(out, record.Interval{From: from, To: to}) }
	for _, h := range l.Holds {
		add(h.Granting, c.Record.LeftAt(h))
	}
	for _, k := range l.Calls {
		switch {
		case k.Outcome == history.OK && len(k.Keys) > 1: // it may have had this one before the others
			add(k.From, k.To)
		case !c.waits().definite(k):
			add(c.maySince(k), k.To)
		}
	}
	return append(out, c.everywhere()...)
}

// maySince returns since when a call of unknown outcome may have had its lock: since it began. If
// servers refused its first commands, that is since it sent the first one that they did not refuse.
// Commands that only read do not count.
func (c faultTimes) maySince(k *record.Call) int64 {
	refused := false
	for _, m := range c.waits().commandsOf(k) {
		switch {
		case c.trace.Denied(m):
			refused = true
		case trace.Silent(m):
		case refused:
			return m.Sent
		default:
			return k.From
		}
	}
	return k.From
}

// everywhere returns the disturbances that concern all locks.
func (c faultTimes) everywhere() []record.Interval {
	if c.common != nil {
		return c.common
	}
	var out []record.Interval
	add := func(from, to int64) { out = append(out, record.Interval{From: from, To: to}) }
	for i := range c.faults {
		add(c.faults[i].From, c.overs()[i])
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
	c.common = out
	return out
}
