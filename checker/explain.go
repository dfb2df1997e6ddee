package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
)

// pair is a violation of mutual exclusion: two holds of one key, and the time in which both were surely inside.
type pair struct {
	belief   belief
	key      int
	a, b     *hold // a was granted first
	sa, sb   span
	from, to int64
}

// explain turns the overlaps of a key into a property with its witness and words. Among all pairs it takes the earliest in which no
// unplanned stall lies; if there is none, the machine may be to blame and the result is unknown.
func (c *check) explain(b belief, key int, ss []span) Property {
	var stalled *stall
	var p *pair
	overlaps(ss, func(x, y span) bool {
		q := &pair{b, key, &c.record.holds[x.hold], &c.record.holds[y.hold], x, y, y.from, min(x.end, y.end)}
		if s := c.trust.within(q.a.call, q.from); s != nil {
			stalled = s
			return true
		}
		p = q
		return false
	})
	if p == nil {
		return Property{Because: fmt.Sprintf("two clients were inside at once, but %s", stalled)}
	}
	out := Property{Verdict: Violated, Witness: p.witness()}
	out.Witness.Commands = c.commands(p)
	out.Class, out.Assumption = c.classify(p, out.Witness.Commands)
	out.Words = c.words(p, out)
	return out
}

func (p *pair) witness() *Witness {
	return &Witness{Key: p.key, Holds: []Hold{witnessHold(p.a, p.sa), witnessHold(p.b, p.sb)}, Overlap: history.Duration(p.to - p.from)}
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

// words tells a violation for people, in the order of time: who was granted what by whom and when, what happened in between, and
// how long both were inside.
func (c *check) words(p *pair, v Property) string {
	told := c.between(p)
	told = append(told,
		happening{p.a.from, fmt.Sprintf("client %d was granted lock %d%s at %s", p.a.process, p.key, by(p.a), at(p.a.from))},
		happening{p.b.from, fmt.Sprintf("client %d was granted it%s at %s", p.b.process, by(p.b), at(p.b.from))})
	if end := p.a.leaseAt(p.b.from); end <= p.b.from {
		told = append(told, happening{end, fmt.Sprintf("client %d's lease ran out at %s%s", p.a.process, at(end), c.whilePaused(p.a.process, end))})
	}
	for _, m := range v.Witness.Commands {
		if strings.Contains(m.Effect, " of client ") && strings.Contains(m.Effect, "delete") {
			told = append(told, happening{m.Sent, fmt.Sprintf("client %d sent %q at %s, which %s", m.Process, m.String(), at(m.Sent), m.Effect)})
		}
	}
	slices.SortStableFunc(told, func(a, b happening) int { return cmp.Compare(a.t, b.t) })
	var out []string
	for _, h := range told {
		out = append(out, h.words)
	}
	out = append(out, fmt.Sprintf("client %d was still inside until %s%s, so both were inside for %s", p.a.process, at(p.a.end), p.a.how(), brief(p.to-p.from)))
	story := sentence(strings.Join(out, "; "))
	switch {
	case p.belief == whileLeased:
		story += fmt.Sprintf(" Both leases were valid then%s.", leaseNote(p))
	case p.belief == asDeclared:
		story += " By the lock's own word both of them held it."
	}
	return story + " Class: " + v.Class + "." + assumed(v.Assumption)
}

func leaseNote(p *pair) string {
	a, b := p.a.leaseAt(p.b.from), p.b.leaseAt(p.b.from)
	if a == forever && b == forever {
		return ", since this lock's never end"
	}
	return fmt.Sprintf(" (client %d's until %s, client %d's until %s)", p.a.process, until(a), p.b.process, until(b))
}

func until(t int64) string {
	if t == forever {
		return "it is released"
	}
	return at(t)
}

func assumed(what string) string {
	if what == "" {
		return ""
	}
	return fmt.Sprintf(" A fault broke an assumption of the lock: %s.", what)
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

// brief writes a length of time: milliseconds, or exactly if it is shorter than a microsecond.
func brief(ns int64) string {
	d := time.Duration(ns)
	if d < time.Microsecond {
		return d.String()
	}
	return d.Round(time.Microsecond).String()
}

// happening is one thing that is told, and when it was.
type happening struct {
	t     int64
	words string
}

// between tells which faults lay between the two grants, or began before and lasted.
func (c *check) between(p *pair) []happening {
	var out []happening
	for _, f := range c.faults {
		if f.from >= p.b.from || f.to <= p.a.call && !lasts(f) {
			continue
		}
		when := "at " + at(f.from)
		if f.to != forever && !f.lasting {
			when = fmt.Sprintf("from %s to %s", at(f.from), at(f.to))
		}
		out = append(out, happening{f.from, fmt.Sprintf("the nemesis did %q to %s %s", f.f, f.target, when)})
	}
	if n := len(out); n > 6 {
		more := happening{out[3].t, fmt.Sprintf("the nemesis did %d more things", n-6)}
		out = append(append(slices.Clone(out[:3]), more), out[n-3:]...)
	}
	return out
}

// whilePaused is " while it was paused" if the nemesis had its hands on the client then.
func (c *check) whilePaused(process int, t int64) string {
	for _, f := range c.faults {
		if isClient(f.target, process) && strings.Contains(f.f, "pause") && f.from <= t && t <= f.to {
			return " while it was paused"
		}
	}
	return ""
}
