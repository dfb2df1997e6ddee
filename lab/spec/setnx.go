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

// deletes: DEL key, even if another client has the lock (D003 lines 11 and 12).
func deletes(c *call) {
	c.held()
	c.answers(c.sends("DEL", c.key()))
}

// setnxExpire: SETNX key value and, if it replied 1, EXPIRE key seconds (D003 §2, D004 §1.2).
// The lock ignores the reply of EXPIRE. An error leaves the key behind without an expiry.
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

// setnxExpireLua: both in one script, KEYS[1] the lock, ARGV the value and the lease (D004 §1.3,
// without its mistakes).
func setnxExpireLua(c *call) {
	c.poll(c.options.Poll, func(h *hold) outcome {
		_, amount := c.expiry()
		r := c.takes("EVAL", takeScript, "1", c.key(), &h.value, amount)
		c.checkFresh(h.value)
		c.began(h, r)
		return taken(r)
	})
}

// setnxExpirePosted: the caller passes the value as a key and the key as an argument, and compares
// the reply with something that the script never replies (D004 §1.3, lines 49 to 54). So the lock
// is never granted.
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

// releasesPosted: the release makes the same comparison, so it never reports success
// (D004 line 82).
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

// key returns the only key of a call, or "".
func (c *call) key() string {
	if len(c.keys) == 0 {
		return ""
	}
	return c.keys[0]
}

// expiry returns the command that gives a key its lease. As in the documents, the command takes
// seconds, unless the lease has a fraction of a second.
func (c *call) expiry() (command, amount string) {
	if c.options.TTL%time.Second == 0 {
		return "expire", seconds(c.options.TTL)
	}
	return "pexpire", ms(c.options.TTL)
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

// answers ends a release, with the reply's error or, after any other reply, with ok.
func (c *call) answers(r reply) {
	if r.failed() {
		c.fails(false)
		return
	}
	c.returns(history.OK)
}

// began notes the command that grants a hold.
func (c *call) began(h *hold, r reply) {
	if r.Command != nil {
		h.sent, h.acks, h.after = r.Sent, r.acks, max(c.from, c.before)
	}
}
