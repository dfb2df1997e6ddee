package engine

import (
	"math"
	"strconv"
	"strings"
)

// text returns the string at a key; ok is false, and the error replied, if it holds something else.
func (c *call) text(key string) (v *value, ok bool) {
	v = c.e.get(key)
	if v != nil && v.fields != nil {
		c.out.err(wrongType)
		return nil, false
	}
	return v, true
}

// old replies what a key held.
func (c *call) old(v *value) {
	if v == nil {
		c.out.null()
	} else {
		c.out.bulk(v.str)
	}
}

func get(c *call) {
	if v, ok := c.text(c.args[1]); ok {
		c.old(v)
	}
}

func setnx(c *call) {
	free := c.e.get(c.args[1]) == nil
	if free {
		c.e.put(c.args[1], &value{str: c.args[2]})
	}
	c.out.boolean(free)
}

func getset(c *call) {
	if v, ok := c.text(c.args[1]); ok {
		c.old(v)
		c.e.put(c.args[1], &value{str: c.args[2]})
	}
}

func getdel(c *call) {
	if v, ok := c.text(c.args[1]); ok {
		c.old(v)
		if v != nil {
			c.e.remove(c.args[1])
		}
	}
}

func strlen(c *call) {
	v, ok := c.text(c.args[1])
	switch {
	case ok && v != nil:
		c.out.integer(int64(len(v.str)))
	case ok:
		c.out.integer(0)
	}
}

func getrange(c *call) {
	from, ok1 := integer(c.args[2])
	to, ok2 := integer(c.args[3])
	if !ok1 || !ok2 {
		c.out.err(notInteger)
		return
	}
	v, ok := c.text(c.args[1])
	if !ok {
		return
	}
	s := ""
	if v != nil {
		s = v.str
	}
	c.out.bulk(slice(s, from, to))
}

// slice cuts out [from, to], where numbers below zero count from the end.
func slice(s string, from, to int64) string {
	n := int64(len(s))
	if from < 0 && to < 0 && from > to {
		return ""
	}
	if from < 0 {
		from = max(n+from, 0)
	}
	if to < 0 {
		to = max(n+to, 0)
	}
	to = min(to, n-1)
	if from > to || n == 0 {
		return ""
	}
	return s[from : to+1]
}

// setOptions are what may follow SET key value.
type setOptions struct {
	nx, xx, get, keep bool
	unit              string // ex, px, exat or pxat; empty: no expiry
	amount            string
}

// parse reads the options; false: they contradict each other or are unknown.
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
		c.out.err(syntax)
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

// assign is what all forms of SET have in common.
func (c *call) assign(key, text string, o setOptions) {
	until, ok := c.until(o)
	if !ok {
		return
	}
	old := c.e.get(key)
	if o.get {
		if old, ok = c.text(key); !ok {
			return
		}
		c.old(old)
	}
	if o.nx && old != nil || o.xx && old == nil {
		if !o.get {
			c.out.null()
		}
		return
	}
	if o.keep && old != nil {
		until = old.until
	}
	c.e.put(key, &value{str: text, until: until})
	if !o.get {
		c.out.status("OK")
	}
}

// until is the end of life that the options ask for, ms; 0: none. If it is impossible, that is replied.
func (c *call) until(o setOptions) (int64, bool) {
	if o.unit == "" {
		return 0, true
	}
	n, ok := integer(o.amount)
	if !ok {
		c.out.err(notInteger)
		return 0, false
	}
	until, ok := absolute(n, strings.HasPrefix(o.unit, "ex"), strings.HasSuffix(o.unit, "at"), c.e.ms())
	if n <= 0 || !ok {
		c.out.err("ERR invalid expire time in '" + strings.ToLower(c.args[0]) + "' command")
		return 0, false
	}
	return until, true
}

// absolute turns an amount of time into ms of the wall clock; false: there is no such number.
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

func incr(c *call) {
	by, ok := c.step()
	if !ok {
		return
	}
	v, ok := c.text(c.args[1])
	if !ok {
		return
	}
	next := value{str: "0"}
	if v != nil {
		next = *v
	}
	n, ok := integer(next.str)
	switch {
	case !ok:
		c.out.err(notInteger)
	case by < 0 && n < math.MinInt64-by || by > 0 && n > math.MaxInt64-by:
		c.out.err(overflow)
	default:
		next.str = strconv.FormatInt(n+by, 10)
		c.e.put(c.args[1], &next)
		c.out.integer(n + by)
	}
}

// step is by how much a number grows.
func (c *call) step() (int64, bool) {
	by, name := int64(1), strings.ToLower(c.args[0])
	if len(c.args) > 2 {
		n, ok := integer(c.args[2])
		if !ok {
			c.out.err(notInteger)
			return 0, false
		}
		by = n
	}
	if strings.HasPrefix(name, "decr") {
		if by == math.MinInt64 {
			c.out.err("ERR decrement would overflow")
			return 0, false
		}
		by = -by
	}
	return by, true
}
