package oracle

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// Missed returns the violations that happened on the servers but are not in a verdict, with the
// verdict's reason.
func (t *Truth) Missed(v *checker.Verdict) (out []Difference) {
	note := func(property, why string, args ...any) {
		p := v.Property(property)
		if p.Verdict == verdict.Violated || p.Verdict == verdict.NA {
			return
		}
		reason := string(p.Verdict.String())
		if p.Reason != "" {
			reason += ", " + p.Reason
		}
		out = append(out, Difference{property, reason, fmt.Sprintf(why, args...)})
	}
	for i := range t.record.Holds {
		h := &t.record.Holds[i]
		if h.From >= t.record.Trust.Cut {
			continue
		}
		t.unowned(h, note)
		t.deletedInside(h, note)
		t.beyond(h, note)
	}
	return out
}

// unowned reports a hold without a key on a quorum of servers.
func (t *Truth) unowned(h *record.Hold, note func(string, string, ...any)) {
	if n := len(t.livesOf(h)); n < t.quorum {
		note(verdict.Validity, "client %d (%d) came in at %d, and %d servers ever had its key",
			h.Process, h.N, h.From, n)
	}
}

// deletedInside: a key that another acquisition deleted while its owner was inside, and the lease
// that the owner was promised still ran.
func (t *Truth) deletedInside(h *record.Hold, note func(string, string, ...any)) {
	if t.quorum > 1 {
		return
	}
	for _, l := range t.livesOf(h) {
		by := l.ender.who()
		if l.how == deleted && l.end > h.From && l.end < min(h.End, h.LeaseAt(l.end)) &&
			by != l.owner && by.Process != history.Harness && by.Process != h.Process {
			note(verdict.OwnerRelease, "%s: client %d (%d) deleted the key of client %d (%d) at %d: %v",
				t.hidden(l, h), by.Process, by.N, h.Process, h.N, l.end, l.ender.Args)
		}
	}
}

// hidden says why the clients' own words do not show that a deletion hit the key of a hold.
func (t *Truth) hidden(l *life, h *record.Hold) string {
	m := l.ender.command
	switch {
	case m == nil || m.Recv == 0 || m.Err != "":
		return "it was never answered"
	case m.Recv >= h.End:
		return "the holder had called release before it was answered"
	case m.Recv >= h.LeaseAt(l.end):
		return "the lease was over before it was answered"
	case t.clockMoved(l.end):
		return "a clock was moved"
	case slices.ContainsFunc(t.record.Faults, func(f record.Fault) bool {
		return f.Forgets() && f.From <= l.end
	}):
		return "a fault may have taken keys"
	}
	return "another order fits the replies"
}

// clockMoved reports whether the clock of a server was moved before a stamp.
func (t *Truth) clockMoved(before int64) bool {
	return slices.ContainsFunc(t.record.Faults, func(f record.Fault) bool {
		return f.MovesClock() && f.From <= before
	})
}

// beyond: a promise that is later than the leases.
func (t *Truth) beyond(h *record.Hold, note func(string, string, ...any)) {
	if asked := t.asked(h); h.Promised != record.Forever && asked != 0 && h.Promised > asked+ms &&
		len(t.livesOf(h)) >= t.quorum {
		note(verdict.Validity, "client %d (%d) was promised %d, and the leases ended at %d", h.Process,
			h.N, h.Promised, asked)
	}
}
