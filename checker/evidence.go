package checker

import (
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
)

// evidence counts what a history exercised.
func (c *check) evidence() Evidence {
	e := Evidence{
		Acquisitions:   len(c.record.Holds) + len(c.record.Inner),
		NestedAcquires: len(c.record.Inner),
		Contended:      c.record.Contended(),
		Aimed:          c.history.Header.Requires.Hits,
		Hits:           c.struck(),
		AfterFailover:  c.afterFailover(),
		Unknown:        c.record.Unknown,
		Gaps:           len(c.trust.Stalls),
		TimedOut:       c.timedOut(),
		Faults:         len(c.faults),
		Interrupted:    c.trust.Interrupted,
	}
	e.LongestGapMS = int(c.record.WorstStall().Length() / int64(time.Millisecond))
	return e
}

// timedOut counts the commands that timed out although no fault was in force on their way: the
// machine, or a network that is not ours, stalled where no client saw it.
func (c *check) timedOut() (n int) {
	for i := range c.trace.Commands {
		if m := &c.trace.Commands[i]; m.Why == history.TimedOut && !c.struckCommand(m) {
			n++
		}
	}
	return n
}

// struck counts the strikes that fell into a sure hold while another client had an acquire call for
// the same key open.
func (c *check) struck() int {
	n := 0
	for _, f := range c.faults {
		if f.Aimed && c.hits(f) {
			n++
		}
	}
	return n
}

func (c *check) hits(f record.Fault) bool {
	for i := range c.record.Holds {
		h := &c.record.Holds[i]
		// A strike that kills the holder ends the hold: the kill may be stamped a moment before the fault
		// is.
		kills := h.Ended == record.Killed && f.Hits(h.Process)
		if h.From <= f.From && (f.From < h.End || kills) && c.awaited(h, min(f.From, h.End)) {
			return true
		}
	}
	return false
}

// awaited reports whether a client other than the holder had an acquire call for the hold's key
// open at t.
func (c *check) awaited(h *record.Hold, t int64) bool {
	return slices.ContainsFunc(c.record.Calls, func(k record.Call) bool {
		return k.Process != h.Process && k.From <= t && t <= k.To && slices.Contains(k.Keys, h.Key)
	})
}

// afterFailover counts the grants by a node that had been promoted. Where a grant does not name its
// node, its acquire must have been invoked after the promotion ended.
func (c *check) afterFailover() int {
	n := 0
	for i := range c.record.Holds {
		h := &c.record.Holds[i]
		if slices.ContainsFunc(c.faults, func(f record.Fault) bool {
			return f.Promotes() && (h.Node != "" && h.Node == f.Target && f.From < h.From ||
				h.Node == "" && f.To < h.Call)
		}) {
			n++
		}
	}
	return n
}

// missing says in a sentence what a history lacks of what its plan requires, or "".
func missing(e Evidence, r history.Requires) string {
	var out []string
	if e.Contended < r.Contended {
		out = append(out, explain.Say("%s contended, and %d are needed",
			count(e.Contended, "acquisition was", "acquisitions were"), r.Contended))
	}
	if e.Hits < r.Hits {
		out = append(out, explain.Say("%s of %d fell into a hold with another client waiting",
			count(e.Hits, "strike", "strikes"), r.Hits))
	}
	if r.Failover && e.AfterFailover == 0 {
		out = append(out, explain.Say("the new master granted nothing after the failover"))
	}
	return strings.Join(out, "; ")
}

// count is "no strike", "1 strike", "2 strikes".
func count(n int, one, many string) string {
	switch n {
	case 0:
		return explain.Say("no " + one)
	case 1:
		return explain.Say("only 1 " + one)
	}
	return explain.Say("only %d "+many, n)
}
