package engine

import (
	"math"
	"strings"
)

// setOptions are the options after SET key value.
type setOptions struct {
	nx, xx, get, keep bool
	unit              string // ex, px, exat or pxat, or "" without an expiry
	amount            string
}

// parse reads the options. It returns false if they contradict each other or are unknown.
func (o *setOptions) parse(args []string) bool {
	for i := 0; i < len(args); i++ {
		opt := strings.ToLower(args[i])
		switch {
		case opt == "nx" && !o.xx:
			o.nx = true
		case opt == "xx" && !o.nx:
			o.xx = true
		case opt == "get":
			o.get = true
		case opt == "keepttl" && o.unit == "":
			o.keep = true
		case isUnit(opt) && !o.keep && (o.unit == "" || o.unit == opt) && i+1 < len(args):
			i++
			o.unit, o.amount = opt, args[i]
		default:
			return false
		}
	}
	return true
}

func isUnit(s string) bool { return s == "ex" || s == "px" || s == "exat" || s == "pxat" }

func set(c *call) {
	var o setOptions
	if !o.parse(c.args[3:]) {
		c.out.Error(syntax)
		return
	}
	c.assign(c.args[1], c.args[2], o)
}

func setex(c *call) {
	unit := "ex"
	if strings.EqualFold(c.args[0], "psetex") {
		unit = "px"
	}
	c.assign(c.args[1], c.args[3], setOptions{unit: unit, amount: c.args[2]})
}

// assign executes all forms of SET.
func (c *call) assign(key, text string, o setOptions) {
	until, ok := c.expiryOf(o)
	if !ok {
		return
	}
	old := c.e.get(key)
	if o.get {
		if old, ok = c.collection(key, aString); !ok {
			return
		}
		c.out.old(old)
	}
	if o.nx && old != nil || o.xx && old == nil {
		if !o.get {
			c.out.Null()
		}
		return
	}
	if o.keep && old != nil {
		until = old.until
	}
	c.e.put(key, &value{str: text, until: until})
	if !o.get {
		c.out.Status("OK")
	}
}

// expiryOf returns the expiry in the options, ms of the wall clock, or 0 without one. If it is
// invalid, it replies the error and returns false.
func (c *call) expiryOf(o setOptions) (int64, bool) {
	if o.unit == "" {
		return 0, true
	}
	n, ok := integer(o.amount)
	if !ok {
		c.out.Error(notInteger)
		return 0, false
	}
	until, ok := absolute(n, strings.HasPrefix(o.unit, "ex"), strings.HasSuffix(o.unit, "at"),
		c.e.ms())
	if n <= 0 || !ok {
		c.out.Error("ERR invalid expire time in '" + strings.ToLower(c.args[0]) + "' command")
		return 0, false
	}
	return until, true
}

// absolute turns an amount of time into ms of the wall clock. It returns false on an overflow.
func absolute(n int64, seconds, at bool, now int64) (int64, bool) {
	if seconds {
		if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
			return 0, false
		}
		n *= 1000
	}
	if at {
		return n, true
	}
	if n > math.MaxInt64-now {
		return 0, false
	}
	return n + now, true
}
