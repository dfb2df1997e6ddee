package engine

import (
	"strings"
)

func del(c *call) {
	n := int64(0)
	for _, k := range c.args[1:] {
		if c.e.get(k) != nil {
			c.e.remove(k)
			n++
		}
	}
	c.out.Integer(n)
}

func exists(c *call) {
	n := int64(0)
	for _, k := range c.args[1:] {
		if c.e.get(k) != nil {
			n++
		}
	}
	c.out.Integer(n)
}

func typeOf(c *call) {
	if v := c.e.get(c.args[1]); v != nil {
		c.out.Status(kindNames[v.kind])
	} else {
		c.out.Status("none")
	}
}

// expireOptions are the options after EXPIRE key amount.
type expireOptions struct{ nx, xx, gt, lt bool }

// parse reads the options. It returns an error if they contradict each other or are unknown.
func (o *expireOptions) parse(args []string) string {
	flags := map[string]*bool{"nx": &o.nx, "xx": &o.xx, "gt": &o.gt, "lt": &o.lt}
	for _, a := range args {
		f := flags[strings.ToLower(a)]
		if f == nil {
			return "ERR Unsupported option " + a
		}
		*f = true
	}
	switch {
	case o.nx && (o.xx || o.gt || o.lt):
		return "ERR NX and XX, GT or LT options at the same time are not compatible"
	case o.gt && o.lt:
		return "ERR GT and LT options at the same time are not compatible"
	}
	return ""
}

// forbid reports whether the options forbid to move a key's expiry from old to when. Old is 0 if
// the key has none.
func (o expireOptions) forbid(old, when int64) bool {
	return o.nx && old != 0 || o.xx && old == 0 || o.gt && (old == 0 || when <= old) || o.lt &&
		old != 0 && when >= old
}

func expire(c *call) {
	var o expireOptions
	if e := o.parse(c.args[3:]); e != "" {
		c.out.Error(e)
		return
	}
	n, ok := integer(c.args[2])
	if !ok {
		c.out.Error(notInteger)
		return
	}
	name := strings.ToLower(c.args[0])
	when, ok := absolute(n, name[0] == 'e', strings.HasSuffix(name, "at"), c.e.ms())
	if !ok {
		c.out.Error("ERR invalid expire time in '" + name + "' command")
		return
	}
	v := c.e.get(c.args[1])
	if v == nil || o.forbid(v.until, when) {
		c.out.Integer(0)
		return
	}
	if when <= c.e.ms() {
		c.e.remove(c.args[1])
	} else {
		c.e.put(c.args[1], v.ending(when))
	}
	c.out.Integer(1)
}

// ending returns a copy of an existing value with another expiry, or none for 0.
func (v *value) ending(until int64) *value {
	next := *v
	next.until = until
	return &next
}

func ttl(c *call) {
	name := strings.ToLower(c.args[0])
	v := c.e.get(c.args[1])
	switch {
	case v == nil:
		c.out.Integer(-2)
	case v.until == 0:
		c.out.Integer(-1)
	case name == "pexpiretime":
		c.out.Integer(v.until)
	case name == "expiretime":
		c.out.Integer(seconds(v.until))
	case name == "pttl":
		c.out.Integer(max(v.until-c.e.ms(), 0))
	default:
		c.out.Integer(seconds(max(v.until-c.e.ms(), 0)))
	}
}

// seconds rounds as Redis does. The sum is unsigned, so it does not overflow; Redis as compiled
// computes the same.
func seconds(ms int64) int64 { return int64((uint64(ms) + 500) / 1000) }

func persist(c *call) {
	v := c.e.get(c.args[1])
	kept := v != nil && v.until != 0
	if kept {
		c.e.put(c.args[1], v.ending(0))
	}
	c.out.Boolean(kept)
}

func flush(c *call) {
	if len(c.args) > 2 || len(c.args) == 2 && !isFlushMode(c.args[1]) {
		c.out.Error(syntax)
		return
	}
	for key, v := range c.e.keys {
		c.e.tell(key, Deleted, v, nil)
		c.e.touch(key)
	}
	c.e.tracking.invalidateAll()
	c.e.version++
	clear(c.e.keys)
	c.out.Status("OK")
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
