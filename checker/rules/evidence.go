package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// evidence counts the features that a history exercised.
func (c excuses) evidence() verdict.Evidence {
	e := verdict.Evidence{
		Acquisitions:   len(c.Record.Holds) + len(c.Record.Inner),
		NestedAcquires: len(c.Record.Inner),
		Contended:      c.Record.Contended(),
		Handovers:      c.Record.Handovers(),
		Aimed:          c.history.Header.Requires.Hits,
		AfterFailover:  c.aims().afterFailover(),
		Unknown:        c.Record.Unknown,
		Gaps:           len(c.trust.Stalls),
		TimedOut:       c.timedOut(),
		Faults:         len(c.faults),
		Interrupted:    c.trust.Interrupted,
		Undone:         c.trust.Undone,
		Starved:        starved(c.Case),
	}
	if c.history.Header.Declares.Optimistic {
		for _, a := range linear.Accesses(c.history, c.trust.Cut) {
			if a.Write && a.Outcome == history.Fail {
				e.Conflicts++
			}
		}
	}
	c.aims().count(&e)
	e.LongestWaitMS = int(c.Record.LongestWait() / int64(time.Millisecond))
	e.LongestGapMS = int(c.Record.WorstStall().Length() / int64(time.Millisecond))
	return e
}

// timedOut counts the commands that timed out although no fault was in force on their way: the
// machine, or a network that is not ours, stalled where no client saw it.
func (c excuses) timedOut() (n int) {
	for i, m := range c.trace.Commands {
		if m.Why == history.TimedOut && c.unexplained(m) && !trace.Continues(c.trace.Commands, i) {
			n++
		}
	}
	return n
}

// excuseStall turns an O without proof in a reply into unknown if, since the owner was granted the
// lock, the machine stood still or a command timed out that no fault held back. The rules of other
// letters subtract lost time themselves.
func (c excuses) excuseStall(name string, p property) property {
	if p.Witness == nil || name != verdict.OwnerRelease || c.toldByReply(p.Witness) {
		return p
	}
	from, to := p.Witness.Holds[0].From, c.deleted(p.Witness)
	if g := c.standstill(from, to); g != nil {
		return stalled("it looks as if %s, but %s, which may be why", explain.Broken(name),
			explain.Stall(*g))
	}
	if m := c.unanswered(from, to); m != nil {
		return stalled("it looks as if %s, but %s", explain.Broken(name), explain.Unanswered(m))
	}
	return p
}

// toldByReply reports whether a command was answered that it deleted the key of another client.
func (c excuses) toldByReply(w *witness) bool {
	return slices.ContainsFunc(w.Commands, func(m command) bool {
		sure := m.Kind == verdict.ForeignDelete || m.Kind == verdict.LateDelete
		return sure && c.trace.Deleted(&m.Command)
	})
}

// deleted returns when the last command of a witness was answered.
func (c excuses) deleted(w *witness) (t int64) {
	for i := range w.Commands {
		t = max(t, w.Commands[i].Sent, w.Commands[i].Recv)
	}
	return t
}

// standstill returns a gap that no fault explains and that may have made clients give up on answers
// that were under way: a sixteenth of a lease, as in a matrix. Or nil.
func (c excuses) standstill(from, to int64) *record.Gap {
	limit := int64(c.history.Header.ShortestLease()) / 16
	for i := range c.Record.Gaps {
		g := &c.Record.Gaps[i]
		if !g.Planned && g.Length() > limit && g.From < to && from < g.To {
			return g
		}
	}
	return nil
}

// unanswered returns a command that no fault kept from its answer, of a call whose outcome is
// unknown for that; or nil.
func (c excuses) unanswered(from, to int64) *history.Command {
	for _, m := range c.trace.Commands {
		if m.Sent >= from && m.Sent <= to && c.unexplained(m) {
			return m
		}
	}
	return nil
}

// unexplained reports whether a command was lost by a time-out or an error of its connection,
// though no fault can have kept it. After a fault, connections that it broke may be found broken.
func (c excuses) unexplained(m *history.Command) bool {
	switch m.Why {
	case history.TimedOut:
		return !c.quorums().struckCommand(m) && waited(&c.history.Header, m)
	case history.NotSent, history.Canceled, history.Expired, history.BrokenOff:
		return c.unsure(m) && !slices.ContainsFunc(c.faults, func(f record.Fault) bool {
			return f.From <= m.Sent && !c.elsewhere(&f, m) || f.Delays(m)
		})
	}
	return false
}

// elsewhere reports whether a fault certainly broke no connection on the way of a command: it hit
// another client, or another of several masters that know nothing of each other.
func (c excuses) elsewhere(f *record.Fault, m *history.Command) bool {
	who, _, _ := strings.Cut(f.Target, ">")
	if process, client := record.ClientOf(strings.TrimSuffix(who, "+")); client {
		return process != m.Process
	}
	return c.quorums().independent() && !f.TouchesWay(m)
}

// waited reports whether a command that timed out was under way for a time. A client that cannot
// connect may tell again of an earlier attempt, at once.
func waited(h *history.Header, m *history.Command) bool {
	return m.Recv-m.Sent >= int64(h.ClientTimeout)/100
}

// unsure reports whether the outcome of the call that sent a command is unknown.
func (c excuses) unsure(m *history.Command) bool {
	if k := c.trace.CallOf(m); k != nil && k.Outcome == history.Info {
		return true
	}
	releases := c.unsureReleases.get(m.Process, func(process int) record.Reach {
		var times []record.Interval
		for i := range c.Record.Holds {
			if h := &c.Record.Holds[i]; h.Process == process && h.Answer == history.Info {
				times = append(times, record.Interval{From: h.End, To: h.Returned})
			}
		}
		return record.NewReach(times)
	})
	return releases.Meets(m.Sent, m.Sent)
}
