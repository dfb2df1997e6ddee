package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
)

// grace is what a client is given beyond the lease and two polls until it must have been granted a
// free lock.
const grace = time.Second

// deadlock judges that a live client that tries is granted the lock in time when nobody has it.
//
// Certain at once: a client was killed inside of a lease that never ends, and nobody was granted
// the lock afterwards although somebody tried. Certain by deadline: over a time longer than the
// longest lease, two polls and a second, in which no client was inside, came or left, no fault
// began or ended, no call had an unknown outcome and no process stalled, one client tried all the
// time and was told each time that the lock is held. Only such definite answers count: a lock
// service that cannot be reached is not a deadlock. Where nothing but a stall of the machine may
// excuse the refusals, nobody can tell.
func (c *check) deadlock() Property {
	if len(c.record.calls) == 0 {
		return Property{Verdict: NA, Reason: "nobody tried to acquire the lock"}
	}
	for i := range c.record.holds {
		if p, ok := c.abandoned(&c.record.holds[i]); ok {
			return p
		}
	}
	if p, ok := c.starved(true); ok {
		return p
	}
	if _, ok := c.starved(false); ok { // but for the stall it would be certain
		return Property{
			Reason: fmt.Sprintf("a client was refused for too long, but %s meanwhile, which may be why",
				c.longestGap())}
	}
	if c.verdict.Evidence.Contended == 0 && len(c.record.calls) == len(c.record.holds) &&
		c.verdict.Evidence.Faults == 0 {
		return Property{Verdict: NA, Reason: "no client had to wait for the lock"}
	}
	return Property{Verdict: Valid}
}

// abandoned reports whether a hold without a lease was left behind by a client that was killed, for
// ever.
func (c *check) abandoned(h *hold) (Property, bool) {
	if h.ended != killed || h.leaseEnd() != forever || h.from >= h.end || h.end >= c.trust.cut ||
		c.history.Header.Declares.Lease {
		return Property{}, false
	}
	tried := false
	for _, k := range c.record.calls {
		if k.process == h.process || !slices.Contains(k.keys, h.key) || k.to <= h.end {
			continue
		}
		if k.outcome == history.OK {
			return Property{}, false
		}
		tried = tried || k.outcome == history.Fail && k.from > h.end &&
			held(c.errors[[2]int{k.process, k.n}])
	}
	for _, f := range c.faults {
		if kindOf(f) > clientClockFault && f.to > h.from {
			return Property{}, false // whatever holds the key may have gone with the server
		}
	}
	if !tried {
		return Property{}, false
	}
	p := Property{Verdict: Violated, Witness: &Witness{Key: h.key, Holds: []Hold{
		witnessHold(h, span{from: h.from, end: h.end})}}}
	p.Explanation = fmt.Sprintf(
		"Client %d was granted lock %d%s at %s and killed at %s while it was inside. The key has no time to live and no other client can release it: whoever tried afterwards was refused.",
		h.process, h.key, by(h), at(h.from), at(h.end))
	return p, true
}

// held reports whether an error of a failed acquire says that the lock is another's, or nothing at
// all.
func held(err string) bool { return err == "" || strings.Contains(err, "held") }

// longestGap tells of the longest time in which a process did not run although no fault stopped it.
func (c *check) longestGap() string {
	worst := c.worstStall()
	return worst.String()
}

// worstStall is the longest time, of any length, in which a process did not run although no fault
// stopped it; the zero stall if there is none.
func (c *check) worstStall() (worst stall) {
	for _, s := range c.gaps(func(s stall) bool { return !c.stopped(s) }) {
		if s.to-s.from > worst.to-worst.from {
			worst = s
		}
	}
	return worst
}

// gaps returns the times, of any length, in which a process did not run, as far as they count.
func (c *check) gaps(counts func(stall) bool) (out []stall) {
	for i := range c.history.Events {
		e := &c.history.Events[i]
		if s := (stall{e.Process, e.T - int64(e.Gap), e.T}); e.Type == history.Gap && counts(s) {
			out = append(out, s)
		}
	}
	return out
}

// stopped reports whether the nemesis had its hands on a client in a gap.
func (c *check) stopped(s stall) bool { return planned(s, clientFaults(c.history)) }

// starved looks for a client that was refused for too long while nobody was inside. Where gaps
// count, one that no fault made excuses as much of that time as it lasted: its own, since its last
// refusal may be older than its return, or the harness's, through which the answers come. Others
// have nothing to do with it.
func (c *check) starved(gaps bool) (Property, bool) {
	bound := c.bound()
	for _, key := range c.keys() {
		attempts, calm := c.attempts(key), quiet(c.disturbances(key), bound)
		for _, p := range sortedKeys(attempts) {
			var lost []stall
			if gaps {
				lost = c.gaps(func(s stall) bool { return !c.stopped(s) && (s.process == p || s.process < 0) })
				slices.SortFunc(lost, func(a, b stall) int { return cmp.Compare(a.from, b.from) })
			}
			if from, to, ok := refusedFor(attempts[p], calm, lost, bound); ok {
				out := Property{Verdict: Violated, Witness: &Witness{Key: key, Holds: []Hold{
					{Process: p, From: from, To: to}}}}
				out.Explanation = fmt.Sprintf(
					"From %s to %s client %d tried to acquire lock %d and was told that it is held, although no client was inside, came or left, and no fault struck. It should have been granted within %s (the lease, two polls and a second).",
					at(from), at(to), p, key, brief(bound))
				return out, true
			}
		}
	}
	return Property{}, false
}

// bound is the time after which a free lock must have been granted.
func (c *check) bound() int64 {
	return c.longestLease() + 2*int64(c.history.Header.Poll) + int64(grace)
}

// longestLease is that of the header, or of a grant.
func (c *check) longestLease() int64 {
	ttl := int64(c.history.Header.TTL)
	for i := range c.history.Events {
		if g := c.history.Events[i].Grant; g != nil {
			ttl = max(ttl, int64(g.Lease))
		}
	}
	return ttl
}

func (c *check) keys() []int {
	keys := map[int]bool{}
	for _, k := range c.record.calls {
		for _, key := range k.keys {
			keys[key] = true
		}
	}
	return sortedKeys(keys)
}

// disturbances returns the times, sorted, in which the lock may have been somebody's or something
// else may explain a refusal; stalls of the machine are none.
func (c *check) disturbances(key int) []turn {
	var out []turn
	add := func(from, to int64) { out = append(out, turn{from: from, to: to}) }
	for i := range c.record.holds {
		if h := &c.record.holds[i]; h.key == key {
			add(h.call, c.left(h))
		}
	}
	for _, k := range c.record.calls {
		if slices.Contains(k.keys, key) && k.outcome != history.OK && k.outcome != history.Fail {
			add(k.from, k.to)
		}
	}
	for _, f := range c.faults {
		add(f.from, f.from)
		if !f.lasting {
			add(f.from, f.to)
		} else if k := kindOf(f); k == serverClockFault || k == clientClockFault {
			add(f.from, forever)
		}
	}
	for _, s := range c.gaps(c.stopped) {
		add(s.from, s.to)
	}
	for i := range c.history.Events {
		switch e := &c.history.Events[i]; e.Type {
		case history.Kill, history.Exit:
			add(e.T, e.T)
		}
	}
	add(c.trust.cut, forever)
	sortTurns(out)
	return out
}

// left returns when a client has certainly left a hold: its release call is over, answered or not.
func (c *check) left(h *hold) int64 {
	if h.ended == open {
		return forever
	}
	t := h.end
	for _, r := range c.releases[h.process] {
		if r.from >= h.end && h.ended == released {
			return max(t, r.to)
		}
	}
	return t
}

// attempts returns, by client, the acquire calls of a key that were refused, in order.
func (c *check) attempts(key int) map[int][]turn {
	out := map[int][]turn{}
	for _, k := range c.record.calls {
		if k.outcome == history.Fail && slices.Contains(k.keys, key) &&
			held(c.errors[[2]int{k.process, k.n}]) {
			out[k.process] = append(out[k.process], turn{from: k.from, to: k.to, process: k.process})
		}
	}
	return out
}

// quiet returns the times of at least the given length between disturbances, which are sorted by
// beginning.
func quiet(busy []turn, length int64) []turn {
	var out []turn
	over := int64(0)
	for _, b := range busy {
		if b.from-over >= length {
			out = append(out, turn{from: over, to: b.from})
		}
		over = max(over, b.to)
	}
	return out
}

// refusedFor returns the part of a quiet time in which refused calls of one client cover at least
// bound, without what was lost of them.
func refusedFor(calls, calm []turn, lost []stall, bound int64) (from, to int64, ok bool) {
	for _, q := range calm {
		covered := int64(0)
		for _, k := range calls {
			if k.to <= q.from || k.to > q.to {
				continue // a refusal that came after the quiet time may have another reason
			}
			from := max(k.from, q.from)
			covered += k.to - from
			over := from // what two of them lost at the same time counts once
			for _, s := range lost {
				covered -= max(0, min(k.to, s.to)-max(over, s.from))
				over = max(over, s.to)
			}
			if covered >= bound {
				return q.from, k.to, true
			}
		}
	}
	return 0, 0, false
}
