package checker

import (
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
)

// pair is a violation of mutual exclusion: two holds of one key, and the time in which both were
// surely inside.
type pair struct {
	rule     record.ExclusionRule
	key      int
	a, b     *record.Hold // a was granted first
	sa, sb   record.Span
	from, to int64
}

// explain turns the overlaps of a key into a property with its witness and words. Among all pairs
// it takes the earliest in which no unplanned stall lies; if there is none, the machine may be to
// blame and the result is unknown.
func (c *check) explain(b record.ExclusionRule, key int, ss []record.Span) Property {
	var stalled *record.Gap
	var p *pair
	record.Overlaps(ss, func(x, y record.Span) bool {
		q := &pair{b, key, &c.record.Holds[x.Hold], &c.record.Holds[y.Hold], x, y, y.From,
			min(x.End, y.End)}
		if s := c.trust.Within(q.a.Call, q.from); s != nil {
			stalled = s
			return true
		}
		p = q
		return false
	})
	if p == nil {
		return Property{Stalled: true, Reason: explain.Say("two clients were inside at once, but %s",
			stallWords(*stalled))}
	}
	out := Property{Verdict: Violated, Witness: p.witness()}
	out.Witness.Commands = c.commands(p)
	out.Class, out.Assumption = c.classify(p, out.Witness.Commands)
	out.Explanation = c.words(p, out)
	return out
}

func (p *pair) witness() *Witness {
	return &Witness{Key: p.key, Holds: []Hold{witnessHold(p.a, p.sa), witnessHold(p.b, p.sb)},
		Overlap: history.Duration(p.to - p.from)}
}

func witnessHold(h *record.Hold, s record.Span) Hold {
	w := Hold{Process: h.Process, N: h.N, From: h.From, To: s.End, Token: h.Token}
	if end := h.LeaseAt(s.From); end != record.Forever {
		w.LeaseEnd = end
	}
	return w
}

func leaseNote(p *pair) string {
	a, b := p.a.LeaseAt(p.b.From), p.b.LeaseAt(p.b.From)
	if a == record.Forever && b == record.Forever {
		return explain.Say(", since this lock's never end")
	}
	return explain.Say(" (client %d's until %s, client %d's until %s)", p.a.Process, until(a),
		p.b.Process, until(b))
}

func until(t int64) string {
	if t == record.Forever {
		return explain.Say("it is released")
	}
	return at(t)
}

// assumed is what follows a class: "; a fault broke an assumption of the lock: durability".
func assumed(what string) string {
	if what == "" {
		return ""
	}
	return explain.Say("; a fault broke an assumption of the lock: ") + what
}

func by(h *record.Hold) string {
	if h.Node == "" {
		return ""
	}
	return explain.Say(" by %s", h.Node)
}

// how says what ended a hold.
func how(h *record.Hold) string {
	switch h.Ended {
	case record.Released:
		return explain.Say(", when it released")
	case record.Killed:
		return explain.Say(", when it was killed")
	case record.Vanished:
		return explain.Say(", its last sign of life")
	}
	return ""
}

// stallWords is "the machine stalled for 640 ms until 1.310 s (client 2 did not run, ...)".
func stallWords(s record.Gap) string {
	who := explain.Say("the harness")
	if s.Process >= 0 {
		who = explain.Say("client %d", s.Process)
	}
	return explain.Say(
		"the machine stalled for %d ms until %s (%s did not run, and no fault asked for it)",
		s.Length()/int64(time.Millisecond), at(s.To), who)
}

// failureWords says what went wrong with a run.
func failureWords(f *record.Failure) string {
	said := ""
	if f.Err != "" {
		said = ": " + f.Err
	}
	switch f.Kind {
	case record.UnplannedExit:
		return explain.Say("client %d ended at %s although that was not planned%s", f.Process, at(f.T),
			said)
	case record.FaultFailed:
		return explain.Say("the fault %s of %s failed at %s%s", f.Action, f.Target, at(f.T), said)
	}
	return f.Err
}
