package rules

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// evidence counts what a history exercised.
func (c *Case) evidence() verdict.Evidence {
	e := verdict.Evidence{
		Acquisitions:   len(c.Record.Holds) + len(c.Record.Inner),
		NestedAcquires: len(c.Record.Inner),
		Contended:      c.Record.Contended(),
		Aimed:          c.history.Header.Requires.Hits,
		AfterFailover:  c.afterFailover(),
		Unknown:        c.Record.Unknown,
		Gaps:           len(c.trust.Stalls),
		TimedOut:       c.timedOut(),
		Faults:         len(c.faults),
		Interrupted:    c.trust.Interrupted,
	}
	e.Hits, e.Missed = c.struck()
	e.LongestGapMS = int(c.Record.WorstStall().Length() / int64(time.Millisecond))
	return e
}

// timedOut counts the commands that timed out although no fault was in force on their way: the
// machine, or a network that is not ours, stalled where no client saw it.
func (c *Case) timedOut() (n int) {
	for i := range c.trace.Commands {
		if m := &c.trace.Commands[i]; m.Why == history.TimedOut && !c.struckCommand(m) {
			n++
		}
	}
	return n
}

// struck counts the strikes that fell into a sure hold while another client had an acquire call for
// the same key open, and names the others.
func (c *Case) struck() (n int, missed []string) {
	for _, f := range c.faults {
		switch {
		case !f.Aimed:
		case c.hits(f):
			n++
		default:
			missed = append(missed, f.Action+" "+f.Target)
		}
	}
	return n, missed
}

func (c *Case) hits(f record.Fault) bool {
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
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
func (c *Case) awaited(h *record.Hold, t int64) bool {
	return slices.ContainsFunc(c.Record.Calls, func(k record.Call) bool {
		return k.Process != h.Process && k.From <= t && t <= k.To && slices.Contains(k.Keys, h.Key)
	})
}

// afterFailover counts the grants by a node that had been promoted. Where a grant does not name its
// node, its acquire must have been invoked after the promotion ended.
func (c *Case) afterFailover() int {
	n := 0
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
		if slices.ContainsFunc(c.faults, func(f record.Fault) bool {
			return f.Promotes() && (h.Node != "" && h.Node == f.Target && f.From < h.From ||
				h.Node == "" && f.To < h.Call)
		}) {
			n++
		}
	}
	return n
}
