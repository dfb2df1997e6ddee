package spec

import (
	"math"

	"github.com/lockbench/lockbench/internal/history"
)

// The locks of D000 and D002 write the time at which the lease ends, by the client's clock. So the
// written value shows the time of that clock.

// getset (D000 §3, D002): SETNX key end; GET key if that replied 0; GETSET key end if the key's
// time is past. The value that GETSET replies must also be past. Otherwise another client was
// faster, and GETSET has prolonged its lease.
func getset(c *call) {
	c.poll(c.options.Poll, func(h *hold) outcome {
		r := c.takes("SETNX", c.key(), &h.value)
		now := number(h.value) - float64(c.options.TTL.Milliseconds()) - 1
		c.began(h, r)
		c.clocks(h, now)
		if got := taken(r); got != refused {
			return got
		}
		old := c.sends("GET", c.key())
		if end, ok := old.number(); !ok || now <= end {
			return c.unread(old)
		}
		r = c.takes("GETSET", c.key(), h.value)
		c.began(h, r)
		switch end, ok := r.number(); {
		case r.null() || ok && now > end:
			return granted // the key was gone, or its lease was over
		case ok:
			return lost
		}
		return failed
	})
}

// unread returns the outcome of an attempt that did not find a time in the past.
func (c *call) unread(old reply) outcome {
	if old.failed() {
		return failed
	}
	return refused
}

// getsetRelease: GET key, and DEL key unless the lease in it is over, even if it belongs to another
// client (D000 line 51).
func getsetRelease(c *call) {
	c.held()
	c.looksAndDeletes()
}

func (c *call) looksAndDeletes() {
	r := c.sends("GET", c.key())
	end, ok := r.number()
	switch {
	case r.null():
		c.returns(history.Fail)
	case r.failed():
		c.fails(false)
	case c.more():
		if ok && c.showed(c.from, r.Sent, func(from, _ float64) bool { return from > end }) {
			c.depart(r.Sent, "deleted %s, which is past by its clock", r.Reply)
		}
		c.answers(c.sends("DEL", c.key()))
	default:
		if ok && c.ended == history.Fail &&
			c.showed(c.from, r.Sent, func(_, to float64) bool { return to <= end }) {
			c.depart(r.Sent, "did not delete %s, which is not past by its clock", r.Reply)
		}
		c.returns(history.Fail) // by its clock the lease is over
	}
}

// sight is a time that a client's clock showed between two stamps, in ms since 1970.
type sight struct {
	ms       float64
	from, to int64
}

// clocks notes the time that the clock showed at the start of an attempt.
func (c *call) clocks(h *hold, now float64) {
	c.seen = &sight{ms: now, from: h.after, to: h.sent}
}

// tolerance is how far a clock may differ from the clock of the stamps if no fault moves it, in ms.
// To correct a clock, a system lets it run up to 0.05 % faster or slower.
const tolerance = 5

// showed calls is with the earliest and the latest time that the clock can have shown between two
// stamps. It returns false if these are unknown.
func (c *call) showed(from, to int64, is func(from, to float64) bool) bool {
	s := c.seen
	if s == nil || !c.steady || c.isOver() {
		return false
	}
	slack := tolerance + float64(to-s.from)/1e9
	return is(s.ms+float64(from-s.to)/1e6-slack, s.ms+float64(to-s.from)/1e6+slack)
}

// getsetJava: the getset of D000 §4, with a lease of 3 and 1 milliseconds (lines 83 and 136), and
// with an exception if the key is missing (lines 112, 144, 160).
func getsetJava(c *call) {
	c.poll(c.options.Poll, func(h *hold) outcome {
		r := c.takes("SETNX", c.key(), &h.value)
		now := number(h.value) - 4
		c.began(h, r)
		c.clocks(h, now)
		if got := taken(r); got != refused {
			return got
		}
		old := c.sends("GET", c.key())
		switch end, ok := old.number(); {
		case !ok:
			return failed
		case now <= end:
			return refused
		}
		r = c.takes("GETSET", c.key(), h.value)
		c.began(h, r)
		switch end, ok := r.number(); {
		case ok && now > end:
			return granted
		case ok:
			return lost
		}
		return broken
	})
}

// getsetJavaRelease: as getsetRelease (D000 lines 122 to 126), but also if the lock was not
// granted, because main() releases in a finally block (line 75).
func getsetJavaRelease(c *call) { c.looksAndDeletes() }

// lockForever is the time that redis-py writes for a lock without a lease (D002 line 84).
const lockForever = 1<<31 + 1

// getsetRedispy: getset in float seconds (D002 lines 116 to 148). The lock reads a missing time as
// 1, long past (lines 138 and 141), and takes a time equal to the present one as held.
func getsetRedispy(c *call) {
	c.poll(c.options.Poll, func(h *hold) outcome {
		r := c.takes("SETNX", c.key(), &h.value)
		h.until = number(h.value)
		c.began(h, r)
		if got := taken(r); got != refused {
			return got
		}
		old := c.sends("GET", c.key())
		end, ok := old.end()
		switch {
		case !ok:
			return failed
		case c.surely(h, end, true) || !c.sees("GETSET", c.key(), h.value):
			if c.surely(h, end, false) && !c.isOver() && c.ended != "" {
				c.depart(old.Sent, "read %s, which is past, and did not take over", old.Reply)
			}
			return refused
		}
		r = c.takes("GETSET", c.key(), h.value)
		c.began(h, r)
		end, ok = r.end()
		switch {
		case !ok:
			return failed
		case c.surely(h, end, true), c.ended != history.OK && !c.surely(h, end, false):
			return lost
		}
		return granted
	})
}

// surely reports whether the lease surely was not over (held), or surely was over (not held), when
// an attempt read its clock. That time is the written value minus the lease, with the precision of
// a float. Without a lease, the written value shows no time.
func (c *call) surely(h *hold, end float64, held bool) bool {
	if h.until == lockForever {
		return held && end == lockForever || !held && end == 1
	}
	now := h.until - c.options.TTL.Seconds()
	if math.Abs(end-now) < 1e-5 {
		return false
	}
	return held == (end > now)
}

// end returns float(reply or 1), as redis-py computes it.
func (r reply) end() (float64, bool) {
	if r.null() || r.is("") {
		return 1, true
	}
	return r.number()
}

// getsetRedispyRelease: GET key, and DEL key if the key's time is not before the hold's time
// (D002 lines 150 to 159). The time of every later owner also satisfies that.
func getsetRedispyRelease(c *call) {
	h := c.held()
	if h.ended {
		c.returns(history.Fail) // an unlocked lock
		return
	}
	r := c.sends("GET", c.key())
	end, ok := r.end()
	if !ok {
		c.fails(false)
		return
	}
	h.ended = true
	if end < h.until {
		c.returns(history.Fail)
		return
	}
	c.answers(c.sends("DEL", c.key()))
}

// setnxDelExpired: SETNX key end; GET key if that replied 0; DEL key if the key's time is past, and
// SETNX key end once more (D000 §3, D002). The client reads its clock anew for each step. The
// lock's variant says whether a missing key counts as expired after GET.
func setnxDelExpired(c *call) {
	c.poll(c.options.Poll, func(h *hold) outcome {
		r := c.takes("SETNX", c.key(), &h.value)
		c.began(h, r)
		if got := taken(r); got != refused {
			return got
		}
		old := c.sends("GET", c.key())
		switch end, ok := old.number(); {
		case old.failed():
			return failed
		case old.null() && c.options.Variant != "nil-expired", ok && !c.sees("DEL", c.key()):
			return refused
		case ok && c.steady && c.later() <= end:
			c.depart(old.Sent, "deleted %s, which is not past", old.Reply)
		}
		gone := c.sends("DEL", c.key())
		if gone.failed() {
			return failed
		}
		r = c.takes("SETNX", c.key(), &h.value)
		c.began(h, r)
		if got := taken(r); got == granted || !gone.is("1") {
			return got
		} else if got == failed {
			return broken
		}
		return lost
	})
}

// later returns the time that the clock showed at the SETNX after the next command. Without such a
// SETNX it returns infinity.
func (c *reader) later() float64 {
	if len(c.sent) < 2 || len(c.sent[1].Args) < 3 {
		return math.Inf(1)
	}
	return number(c.sent[1].Args[2]) - float64(c.options.TTL.Milliseconds()) - 1
}
