package engine

import (
	"math"
	"strconv"
	"strings"
)

func get(c *call, v *value) { c.out.old(v) }

func setnx(c *call) {
	free := c.e.get(c.args[1]) == nil
	if free {
		c.e.put(c.args[1], &value{str: c.args[2]})
	}
	c.out.Boolean(free)
}

func getset(c *call, v *value) {
	c.out.old(v)
	c.e.put(c.args[1], &value{str: c.args[2]})
}

func getdel(c *call, v *value) {
	c.out.old(v)
	if v != nil {
		c.e.remove(c.args[1])
	}
}

// getex is GETEX, a GET that also changes the key's expiry.
func getex(c *call) {
	var o setOptions
	stays := len(c.args) == 3 && strings.EqualFold(c.args[2], "persist")
	if !stays && (!o.parse(c.args[2:]) || o.nx || o.xx || o.get || o.keep) {
		c.out.Error(syntax)
		return
	}
	v, ok := c.collection(c.args[1], aString)
	if !ok {
		return
	}
	if v == nil {
		c.out.Null()
		return
	}
	until, ok := c.expiryOf(o)
	if !ok {
		return
	}
	c.out.Bulk(v.str)
	switch {
	case o.unit != "" && until <= c.e.ms():
		c.e.remove(c.args[1])
	case o.unit != "", stays && v.until != 0:
		c.e.put(c.args[1], v.ending(until))
	}
}

func strlen(c *call, v *value) { c.out.Integer(int64(len(v.copied(aString).str))) }

func getrange(c *call, v *value, from, to int64) {
	c.out.Bulk(slice(v.copied(aString).str, from, to))
}

// slice cuts out [from, to], where numbers below zero count from the end.
func slice(s string, from, to int64) string {
	if from < 0 && to < 0 && from > to {
		return ""
	}
	a, b := clampRange(len(s), from, max(to, -int64(len(s)))) // an end before the start is the start
	return s[a:b]
}

func incr(c *call) {
	by, ok := c.step()
	if !ok {
		return
	}
	v, ok := c.collection(c.args[1], aString)
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
		c.out.Error(notInteger)
	case by < 0 && n < math.MinInt64-by || by > 0 && n > math.MaxInt64-by:
		c.out.Error(overflow)
	default:
		next.str = strconv.FormatInt(n+by, 10)
		c.e.put(c.args[1], &next)
		c.out.Integer(n + by)
	}
}

// step returns the amount to add to a number, below zero for DECR and DECRBY.
func (c *call) step() (int64, bool) {
	by, name := int64(1), strings.ToLower(c.args[0])
	if len(c.args) > 2 {
		n, ok := integer(c.args[2])
		if !ok {
			c.out.Error(notInteger)
			return 0, false
		}
		by = n
	}
	if strings.HasPrefix(name, "decr") {
		if by == math.MinInt64 {
			c.out.Error("ERR decrement would overflow")
			return 0, false
		}
		by = -by
	}
	return by, true
}

func mget(c *call) {
	c.out.Array(len(c.args) - 1)
	for _, key := range c.args[1:] {
		if v := c.e.get(key); v != nil && v.kind == aString {
			c.out.Bulk(v.str)
		} else {
			c.out.Null()
		}
	}
}

// mset is MSET and MSETNX.
func mset(c *call) {
	if len(c.args)%2 == 0 {
		c.out.Error(arity(c.args[0]))
		return
	}
	nx := strings.EqualFold(c.args[0], "msetnx")
	for i := 1; nx && i < len(c.args); i += 2 {
		if c.e.get(c.args[i]) != nil {
			c.out.Integer(0)
			return
		}
	}
	for i := 1; i < len(c.args); i += 2 {
		c.e.put(c.args[i], &value{str: c.args[i+1]})
	}
	if nx {
		c.out.Integer(1)
	} else {
		c.out.Status("OK")
	}
}

func appendTo(c *call, v *value) {
	next := v.copied(aString)
	next.str += c.args[2]
	c.e.put(c.args[1], next)
	c.out.Integer(int64(len(next.str)))
}
