package rules

import (
	"cmp"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// aims judges whether the faults of a plan struck as they should, and whether the lock was put to
// the test then.
type aims struct{ *Case }

func (c *Case) aims() aims { return aims{c} }

// count counts the aimed faults that struck a certain hold while another client waited for the same
// key, and those that killed a server on whose grants no client had entered. It names the faults
// that did neither, and those after which no other client tried.
func (c aims) count(e *verdict.Evidence) {
	for _, f := range c.faults {
		if !f.Aimed {
			continue
		}
		name := f.Action + " " + f.Target
		switch withheld := c.countWithheld(f); {
		case c.hits(f):
			e.Hits++
			if !c.tested(f) {
				e.Untested = append(e.Untested, name)
			}
		case withheld > 0:
			e.Hits++
			e.Withheld = max(e.Withheld, withheld)
		default:
			e.Missed = append(e.Missed, name)
		}
	}
}

// hits reports whether an aimed fault fell into a contended hold.
func (c aims) hits(f record.Fault) bool {
	return slices.ContainsFunc(c.Record.Holds, func(h record.Hold) bool { return c.strikes(f, &h) })
}

// strikes reports whether a fault fell into a sure hold that another client waited for. A fault
// that kills the holder ends the hold: the kill may be stamped a moment before the fault is.
func (c aims) strikes(f record.Fault, h *record.Hold) bool {
	kills := h.Ended == record.Killed && f.Hits(h.Process)
	return !c.missesGrant(f, h) && h.From <= f.From && (f.From < h.End || kills) &&
		c.awaited(h, min(f.From, h.End))
}

// awaited reports whether a client other than the holder had an acquire call for the hold's key
// open at t that it had to wait with. For an optimistic lock no client waits, and another one
// inside is the rival.
func (c aims) awaited(h *record.Hold, t int64) bool {
	if c.history.Header.Declares.Optimistic && slices.ContainsFunc(c.Record.Holds,
		func(k record.Hold) bool {
			return k.Process != h.Process && k.Key == h.Key && k.From <= t && t <= k.End
		}) {
		return true
	}
	return slices.ContainsFunc(c.Record.Calls, func(k record.Call) bool {
		return k.From <= t && t <= k.To && c.rivals(&k, h)
	})
}

// rivals reports whether a call asked for the lock that another client holds. Of two shared holds
// neither keeps the other out.
func (c aims) rivals(k *record.Call, h *record.Hold) bool {
	return k.Process != h.Process && !(k.Shared && h.Shared) && slices.Contains(k.Keys, h.Key)
}

// afterFailover counts the grants by a promoted node. If a grant does not name its node, its
// acquire must have been invoked after the promotion ended.
func (c aims) afterFailover() int {
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

// tested reports whether another client could have been granted the lock by the server that took
// over after a fault, while the holder that the fault struck was still inside. If no server took
// over, or the holder was killed, it returns true.
func (c aims) tested(f record.Fault) bool {
	i := slices.IndexFunc(c.faults, func(p record.Fault) bool {
		return p.Promotes() && p.From >= f.From
	})
	return i < 0 || c.history.Header.Declares.Optimistic ||
		slices.ContainsFunc(c.Record.Holds, func(h record.Hold) bool {
			return c.strikes(f, &h) && (h.Ended == record.Killed || c.tried(&h, &c.faults[i]))
		})
}

// usualTimeout is how long a client waits for an answer if that is unknown.
const usualTimeout = history.Duration(250 * time.Millisecond)

// tried reports whether the server that took over answered another client's try for a hold's lock
// before the hold ended. Without a trace, a call that returned shows that, or one that was open for
// at least as long as a client waits for an answer.
func (c aims) tried(h *record.Hold, by *record.Fault) bool {
	return slices.ContainsFunc(c.Record.Calls, func(k record.Call) bool {
		if !c.rivals(&k, h) || k.To < by.To {
			return false
		}
		if len(c.trace.Commands) > 0 {
			return c.asked(&k, by, h)
		}
		patience := int64(cmp.Or(c.history.Header.ClientTimeout, usualTimeout))
		returned := k.From >= by.To && k.To <= h.End && !k.Unsure()
		return returned || min(k.To, h.End)-max(k.From, by.To) >= patience
	})
}

// asked reports whether a command of a call was answered by a server that took over, before a hold
// ended.
func (c aims) asked(k *record.Call, by *record.Fault, h *record.Hold) bool {
	until := min(k.To, h.End)
	sent := c.trace.SentWithin(k.Process, max(k.From, by.From), until)
	return slices.ContainsFunc(sent, func(m *history.Command) bool {
		return m.Node == by.Target && m.Recv <= until && trace.Answered(m) && c.trace.MayBeOf(m, h.Key)
	})
}
