package spec

import (
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// setpx: SET key value NX PX lease, until it replies OK (D003 §3 to §5, D004 §1.1). The lock's
// variant says how long the client uses one value. Only a new value for each attempt is correct.
func setpx(c *call) {
	first := ""
	c.poll(c.options.Poll, func(h *hold) outcome {
		r := c.takes("SET", c.key(), &h.value, "NX", "PX", ms(c.options.TTL))
		switch c.options.Variant {
		case "constant":
			c.expects(h.value, "requesId") // D004 line 26
		case "process":
			c.expects(h.value, c.owner(h.value))
		case "acquisition":
			if first == "" {
				c.checkFresh(h.value)
				first = h.value
			}
			c.expects(h.value, first)
		default:
			c.checkFresh(h.value)
		}
		c.began(h, r)
		switch {
		case r.null():
			return refused
		case r.failed():
			return failed
		}
		return granted
	})
}

// setpxPosted: as setpx, with the constant of D004 (line 26).
func setpxPosted(c *call) {
	c.options.Variant = "constant"
	setpx(c)
}

// getsAndDeletes: GET key, and DEL key if it has the hold's value (D003 §4, D004 §2.2).
func getsAndDeletes(c *call) { c.getsAndDeletes(c.held().value) }

// getsAndDeletesPosted: it compares with a constant that is never stored (D004 line 68).
func getsAndDeletesPosted(c *call) { c.getsAndDeletes("app-1-lockKey") }

func (c *call) getsAndDeletes(value string) {
	r := c.sends("GET", c.key())
	switch {
	case r.failed():
		c.fails(false)
	case r.is(value):
		c.answers(c.sends("DEL", c.key()))
	default:
		c.returns(history.Fail)
	}
}

// expects departs unless the latest command has the wanted value.
func (c *call) expects(value, want string) {
	if !c.isOver() && value != want {
		c.depart(c.last.Sent, "wrote the owner value %s, where it writes %s", value, want)
	}
}

// owner returns the first owner value of this client's lock. The client must use it for all calls.
func (c *call) owner(value string) string {
	lock := strings.Join(c.keys, " ")
	if c.owners[lock] == "" && !c.isOver() {
		c.checkFresh(value)
		c.owners[lock] = value
	}
	return c.owners[lock]
}
