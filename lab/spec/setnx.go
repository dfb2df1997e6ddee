package spec

import (
	"strconv"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// setnx: SETNX key value, until it replies 1 (D003 §1). It has no lease.
func setnx(c *call) {
	c.options.TTL = 0
	c.poll(c.options.Poll, func(h *hold) outcome {
		r := c.takes("SETNX", c.key(), &h.value)
		c.checkFresh(h.value)
		c.began(h, r)
		return taken(r)
	})
}

// deletes: DEL key, whichever client has it (D003 lines 11 and 12).
func deletes(c *call) {
	c.held()
	c.answers(c.sends("DEL", c.key()))
}

// setnxExpire: SETNX key value and, if it replied 1, EXPIRE key seconds (D003 §2, D004 §1.2).
// EXPIRE's reply is not looked at; an error leaves the key behind, without an end.
func setnxExpire(c *call) {
	c.poll(c.options.Poll, func(h *hold) outcome {
		r := c.sends("SETNX", c.key(), &h.value)
		c.checkFresh(h.value)
		c.began(h, r)
		if got := taken(r); got != granted {
			return got
		}
		command, amount := c.expiry()
		given := c.takes(command, c.key(), amount)
		h.acks = given.acks
		if given.failed() {
			return broken
		}
		return granted
	})
}

// setnxExpireLua: both in one script, KEYS[1] the lock, ARGV the value and the lease (D004 §1.3 as
// it is meant).
func setnxExpireLua(c *call) {
	c.poll(c.options.Poll, func(h *hold) outcome {
		_, amount := c.expiry()
		r := c.takes("EVAL", takeScript, "1", c.key(), &h.value, amount)
		c.checkFresh(h.value)
		c.began(h, r)
		return taken(r)
	})
}

// setnxExpirePosted: the value travels as a key and the key as an argument, and no reply of the
// script is what the caller compares it with (D004 §1.3, lines 49 to 54): it is never granted.
func setnxExpirePosted(c *call) {
	c.poll(c.options.Poll, func(h *hold) outcome {
		r := c.takes("EVAL", takePostedScript, "2", c.key(), postedValue, c.key(), seconds(c.options.TTL))
		if got := taken(r); got != granted {
			return got
		}
		return lost
	})
}

const postedValue = "app-1-lock" // D004 line 49

// releasesPosted: the release has the same comparison, and says of none that it was one (D004 line
// 82).
func releasesPosted(c *call) {
	c.sends("EVAL", releasePostedScript, "2", c.key(), postedValue)
	c.returns(history.Fail, history.Info)
}

// comparesAndDeletes: a script deletes the key if it has the hold's value (D003 §5, D004 §2.3).
func comparesAndDeletes(c *call) {
	r := c.sends("EVAL", releaseScript, "1", c.key(), c.held().value)
	if r.is("0") {
		c.returns(history.Fail)
		return
	}
	c.answers(r)
}

// key is the only key of a call.
func (c *call) key() string {
	if len(c.keys) == 0 {
		return ""
	}
	return c.keys[0]
}

// expiry is the command that gives a key its lease: in seconds, as the documents have it, where it
// is a whole number of them.
func (c *call) expiry() (command, amount string) {
	if c.options.TTL%time.Second == 0 {
		return "expire", seconds(c.options.TTL)
	}
	return "pexpire", ms(c.options.TTL)
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

// answers ends a release: ok with whatever reply, and otherwise with the error.
func (c *call) answers(r reply) {
	if r.failed() {
		c.fails(false)
		return
	}
	c.returns(history.OK)
}

// began notes what granted a hold.
func (c *call) began(h *hold, r reply) {
	if r.Command != nil {
		h.sent, h.acks, h.after = r.Sent, r.acks, max(c.from, c.before)
	}
}
