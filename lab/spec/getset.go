package spec

import (
	"math"

	"github.com/lockbench/lockbench/internal/history"
)

// The locks of D000 and D002 write the time at which the lease ends, by the client's clock. What
// that clock showed follows from what was written.

// getset: SETNX key end; GET key if that replied 0; GETSET key end if what it has is past (D000 §3,
// D002). The old value must be past, too: else another client was first, and its lease was
// prolonged.
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
			return granted // there was no lock to take over, or it was over
		case ok:
			return lost
		}
		return failed
	})
}

// unread is what an attempt comes to that did not find an end in the past.
func (c *call) unread(old reply) outcome {
	if old.failed() {
		return failed
	}
	return refused
}

// getsetRelease: GET key, and DEL key unless the lease in it is over, whichever client's it is
// (D000 line 51).
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

// sight is what a client's clock showed, in ms since 1970, at some time between two stamps.
type sight struct {
	ms       float64
	from, to int64
}

// clocks notes what the clock showed when an attempt began, which follows from what it wrote.
func (c *call) clocks(h *hold, now float64) {
	c.seen = &sight{ms: now, from: h.after, to: h.sent}
}

// tolerance is how far a clock that no fault moves may go apart from the stamps' own, in ms: a
// system lets it run up to 0.05 % faster or slower to correct it.
const tolerance = 5

// showed asks what the clock can have shown between two stamps; it is false where that is not
// known.
func (c *call) showed(from, to int64, is func(from, to float64) bool) bool {
	s := c.seen
	if s == nil || !c.steady || c.isOver() {
		return false
	}
	slack := tolerance + float64(to-s.from)/1e9
	return is(s.ms+float64(from-s.to)/1e6-slack, s.ms+float64(to-s.from)/1e6+slack)
}

// getsetJava: getset as D000 §4 has it, with a lease of 3 and 1 milliseconds (lines 83 and 136),
// and an exception where there is no key (lines 112, 144, 160).
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

// getsetJavaRelease: so too (D000 lines 122 to 126), also where the lock was not granted: main()
// releases in a finally block (line 75).
func getsetJavaRelease(c *call) { c.looksAndDeletes() }

// lockForever is the end that redis-py writes where there is no lease (D002 line 84).
const lockForever = 1<<31 + 1

// getsetRedispy: getset in float seconds (D002 lines 116 to 148). An end that is not there is read
// as 1, long past (lines 138 and 141), and one that is the present moment counts as held.
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

// surely reports whether an end is surely at or after (held), or surely before (not held), the time
// at which an attempt read its clock: what it wrote less the lease, as far as a float tells. Where
// there is no lease it tells nothing.
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

// end is float(reply or 1).
func (r reply) end() (float64, bool) {
	if r.null() || r.is("") {
		return 1, true
	}
	return r.number()
}

// getsetRedispyRelease: GET key, and DEL key if what it has is at or after what the hold wrote
// (D002 lines 150 to 159), which every later owner's is.
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

// setnxDelExpired: SETNX key end; GET key if that replied 0; DEL key if what it has is past, and
// SETNX key end once more (D000 §3, D002). The clock is read anew for each step. What a GET means
// that finds nothing is the lock's variant.
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

// later is what the clock showed when the SETNX after the next command was sent, or later than all
// else where there was none.
func (c *reader) later() float64 {
	if len(c.sent) < 2 || len(c.sent[1].Args) < 3 {
		return math.Inf(1)
	}
	return number(c.sent[1].Args[2]) - float64(c.options.TTL.Milliseconds()) - 1
}
