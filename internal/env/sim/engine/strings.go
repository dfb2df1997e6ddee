package engine

import (
	"math"
	"strconv"
	"strings"
)

// text returns the string at a key, or nil. If the key holds a value of another kind, it replies
// the error and returns false.
func (c *call) text(key string) (v *value, ok bool) {
	return c.collection(key, aString)
}

func get(c *call) {
	if v, ok := c.text(c.args[1]); ok {
		c.out.old(v)
	}
}

func setnx(c *call) {
	free := c.e.get(c.args[1]) == nil
	if free {
		c.e.put(c.args[1], &value{str: c.args[2]})
	}
	c.out.Boolean(free)
}

func getset(c *call) {
	if v, ok := c.text(c.args[1]); ok {
		c.out.old(v)
		c.e.put(c.args[1], &value{str: c.args[2]})
	}
}

func getdel(c *call) {
	if v, ok := c.text(c.args[1]); ok {
		c.out.old(v)
		if v != nil {
			c.e.remove(c.args[1])
		}
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
	v, ok := c.text(c.args[1])
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
	switch next := *v; {
	case o.unit != "" && until <= c.e.ms():
		c.e.remove(c.args[1])
	case o.unit != "", stays && v.until != 0:
		next.until = until
		c.e.put(c.args[1], &next)
	}
}

func strlen(c *call) {
	v, ok := c.text(c.args[1])
	switch {
	case ok && v != nil:
		c.out.Integer(int64(len(v.str)))
	case ok:
		c.out.Integer(0)
	}
}

func getrange(c *call) {
	from, ok1 := integer(c.args[2])
	to, ok2 := integer(c.args[3])
	if !ok1 || !ok2 {
		c.out.Error(notInteger)
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
	c.out.Bulk(slice(s, from, to))
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
