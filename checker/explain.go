package checker

import (
	"fmt"

	"github.com/lockbench/lockbench/history"
)

// pair is a violation of mutual exclusion: two holds of one key, and the time in which both were
// surely inside.
type pair struct {
	belief   belief
	key      int
	a, b     *hold // a was granted first
	sa, sb   span
	from, to int64
}

// explain turns the overlaps of a key into a property with its witness and words. Among all pairs
// it takes the earliest in which no unplanned stall lies; if there is none, the machine may be to
// blame and the result is unknown.
func (c *check) explain(b belief, key int, ss []span) Property {
	var stalled *stall
	var p *pair
	overlaps(ss, func(x, y span) bool {
		q := &pair{b, key, &c.record.holds[x.hold], &c.record.holds[y.hold], x, y, y.from,
			min(x.end, y.end)}
		if s := c.trust.within(q.a.call, q.from); s != nil {
			stalled = s
			return true
		}
		p = q
		return false
	})
	if p == nil {
		return Property{Reason: fmt.Sprintf("two clients were inside at once, but %s", stalled)}
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

func witnessHold(h *hold, s span) Hold {
	w := Hold{Process: h.process, N: h.n, From: h.from, To: s.end, Token: h.token}
	if end := h.leaseAt(s.from); end != forever {
		w.LeaseEnd = end
	}
	return w
}

// leaseAt returns the end of the lease that is in force at t, or of the last one before.
func (h *hold) leaseAt(t int64) int64 {
	end := h.leases[0].to
	for _, l := range h.leases {
		if l.from <= t {
			end = l.to
		}
	}
	return end
}

func leaseNote(p *pair) string {
	a, b := p.a.leaseAt(p.b.from), p.b.leaseAt(p.b.from)
	if a == forever && b == forever {
		return ", since this lock's never end"
	}
	return fmt.Sprintf(" (client %d's until %s, client %d's until %s)", p.a.process, until(a),
		p.b.process, until(b))
}

func until(t int64) string {
	if t == forever {
		return "it is released"
	}
	return at(t)
}

// assumed is what follows a class: "; a fault broke an assumption of the lock: durability".
func assumed(what string) string {
	if what == "" {
		return ""
	}
	return "; a fault broke an assumption of the lock: " + what
}

func by(h *hold) string {
	if h.node == "" {
		return ""
	}
	return " by " + h.node
}

// how says what ended a hold.
func (h *hold) how() string {
	switch h.ended {
	case released:
		return ", when it released"
	case killed:
		return ", when it was killed"
	case vanished:
		return ", its last sign of life"
	}
	return ""
}
