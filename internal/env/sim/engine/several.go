package engine

import "strings"

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

func appendTo(c *call) {
	v, ok := c.text(c.args[1])
	if !ok {
		return
	}
	next := *v.copied(aString)
	next.str += c.args[2]
	c.e.put(c.args[1], &next)
	c.out.Integer(int64(len(next.str)))
}

// rename is RENAME and RENAMENX.
func rename(c *call) {
	nx := strings.EqualFold(c.args[0], "renamenx")
	v := c.e.get(c.args[1])
	switch {
	case v == nil:
		c.out.Error("ERR no such key")
		return
	case nx && c.e.get(c.args[2]) != nil:
		c.out.Integer(0)
		return
	case c.args[1] != c.args[2]:
		c.e.remove(c.args[1])
		c.e.put(c.args[2], v)
	}
	if nx {
		c.out.Integer(1)
	} else {
		c.out.Status("OK")
	}
}

func dbsize(c *call) {
	n := int64(0)
	for key := range c.e.keys {
		if c.e.get(key) != nil {
			n++
		}
	}
	c.out.Integer(n)
}

// hmset is HMSET. It replies OK, not a number.
func hmset(c *call) {
	if len(c.args)%2 != 0 {
		c.out.Error(arity(c.args[0]))
		return
	}
	v, ok := c.hash(c.args[1])
	if !ok {
		return
	}
	for i := 2; i < len(c.args); i += 2 {
		v = v.with(c.args[i], c.args[i+1])
	}
	c.e.put(c.args[1], v)
	c.out.Status("OK")
}

func hmget(c *call) {
	v, ok := c.hash(c.args[1])
	if !ok {
		return
	}
	c.out.Array(len(c.args) - 2)
	for _, name := range c.args[2:] {
		if i := v.fieldIndex(name); i >= 0 {
			c.out.Bulk(v.fields[i].value)
		} else {
			c.out.Null()
		}
	}
}
