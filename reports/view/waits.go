package view

import (
	"cmp"
	"slices"
	"sort"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
)

// WaitRow is the record of one client: its requests and grants, its waiting times, and how often
// another client that had asked later was granted the lock first.
type WaitRow struct {
	Client          string
	Asked, Granted  int
	Median, Longest string // of the waits; Longest also of calls that granted nothing
	PassedMost      int    // by-passes of one call
	Unserved        bool   // the longest wait granted nothing
	Rank            int    // by the longest wait; 0 has the longest of all

	longest int64
}

// Waits returns the clients that asked for a lock, in order.
func (v *View) Waits() (rows []WaitRow) {
	byKey := holdsByKey(v.Holds)
	for _, p := range v.Clients {
		row, waits, longest := WaitRow{Client: Who(p)}, []int64{}, int64(-1)
		for i := range v.Calls {
			c := &v.Calls[i]
			if c.Process != p || c.Depth > 0 {
				continue
			}
			row.Asked++
			wait := v.Clamp(c.To) - c.From
			if c.Outcome == history.OK {
				row.Granted++
				waits = append(waits, wait)
			}
			if wait > longest {
				longest, row.Unserved = wait, c.Outcome != history.OK
			}
			row.PassedMost = max(row.PassedMost, passed(c, byKey))
		}
		if row.Asked == 0 {
			continue
		}
		row.longest, row.Longest = longest, units.Span(longest)
		if slices.Sort(waits); len(waits) > 0 {
			row.Median = units.Span(units.Quantile(waits, 0.5))
		}
		rows = append(rows, row)
	}
	ranked := make([]*WaitRow, len(rows))
	for i := range rows {
		ranked[i] = &rows[i]
	}
	slices.SortStableFunc(ranked, func(a, b *WaitRow) int { return cmp.Compare(b.longest, a.longest) })
	for i, r := range ranked {
		r.Rank = i
	}
	return rows
}

// holdsByKey returns the holds of each lock by the stamp of their grant.
func holdsByKey(holds []record.Hold) map[int][]*record.Hold {
	out := map[int][]*record.Hold{}
	for i := range holds {
		out[holds[i].Key] = append(out[holds[i].Key], &holds[i])
	}
	for _, hs := range out {
		slices.SortStableFunc(hs, func(a, b *record.Hold) int { return cmp.Compare(a.From, b.From) })
	}
	return out
}

// passed counts the grants to other clients that had asked after the call, and before it ended.
func passed(c *record.Call, byKey map[int][]*record.Hold) (n int) {
	for _, key := range c.Keys {
		hs := byKey[key]
		first := sort.Search(len(hs), func(i int) bool { return hs[i].From > c.From })
		for _, h := range hs[first:] {
			if h.From >= c.To {
				break
			}
			if h.Process != c.Process && h.Call > c.From {
				n++
			}
		}
	}
	return n
}

// FaultRow is a fault with what came after it.
type FaultRow struct {
	At, What, Until string
	Next            string // how long after its beginning a client was granted a lock; "never"
}

// maxFaultRows bounds the table of faults.
const maxFaultRows = 24

// FaultRows returns the faults in order, and the number of omitted ones.
func (v *View) FaultRows() (rows []FaultRow, left int) {
	var grants []int64
	for _, h := range v.Grants() {
		grants = append(grants, h.From)
	}
	slices.Sort(grants)
	for _, f := range v.Faults[:min(len(v.Faults), maxFaultRows)] {
		row := FaultRow{At: units.Stamp(f.From), What: f.Words(), Until: units.Stamp(v.Clamp(f.To)),
			Next: "never"}
		if f.Lasting {
			row.Until = "the end of the run"
		}
		i := sort.Search(len(grants), func(i int) bool { return grants[i] > f.From })
		if i < len(grants) {
			row.Next = units.Span(grants[i] - f.From)
		}
		rows = append(rows, row)
	}
	return rows, len(v.Faults) - len(rows)
}

// Starved describes a client that was passed over more often than chance explains. It returns "" if
// there was none, or if no client that waited was granted the lock (D): then none was drawn.
func (v *View) Starved() string {
	if v.Verdict == nil || v.Verdict.Evidence.Starved == nil ||
		v.Verdict.Property(history.Deadlock).Verdict == checker.Violated {
		return ""
	}
	return v.Verdict.Evidence.Starved.Explanation
}
