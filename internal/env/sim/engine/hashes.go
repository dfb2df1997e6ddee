package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// hash returns the hash at a key, or nil. If the key holds a value of another kind, it replies the
// error and returns false.
func (c *call) hash(key string) (v *value, ok bool) {
	return c.collection(key, aHash)
}

// fieldIndex returns the index of a field, or -1 if v lacks it. v may be nil.
func (v *value) fieldIndex(name string) int {
	if v == nil {
		return -1
	}
	return slices.IndexFunc(v.fields, func(f field) bool { return f.name == name })
}

// with returns the hash with a field set. v may be nil.
func (v *value) with(name, text string) *value {
	next := v.copied(aHash)
	if i := v.fieldIndex(name); i >= 0 {
		next.fields[i].value = text
	} else {
		next.fields = append(next.fields, field{name, text})
	}
	return next
}

func hset(c *call) {
	if len(c.args)%2 != 0 {
		c.out.Error(arity(c.args[0]))
		return
	}
	v, ok := c.hash(c.args[1])
	if !ok {
		return
	}
	added := int64(0)
	for i := 2; i < len(c.args); i += 2 {
		if v.fieldIndex(c.args[i]) < 0 {
			added++
		}
		v = v.with(c.args[i], c.args[i+1])
	}
	c.e.put(c.args[1], v)
	c.out.Integer(added)
}

func hsetnx(c *call) {
	v, ok := c.hash(c.args[1])
	if !ok {
		return
	}
	free := v.fieldIndex(c.args[2]) < 0
	if free {
		c.e.put(c.args[1], v.with(c.args[2], c.args[3]))
	}
	c.out.Boolean(free)
}

func hget(c *call) {
	v, ok := c.hash(c.args[1])
	i := v.fieldIndex(c.args[2])
	switch {
	case ok && i >= 0:
		c.out.Bulk(v.fields[i].value)
	case ok:
		c.out.Null()
	}
}

func hexists(c *call) {
	if v, ok := c.hash(c.args[1]); ok {
		c.out.Boolean(v.fieldIndex(c.args[2]) >= 0)
	}
}

func hlen(c *call) {
	v, ok := c.hash(c.args[1])
	switch {
	case ok && v != nil:
		c.out.Integer(int64(len(v.fields)))
	case ok:
		c.out.Integer(0)
	}
}

func hdel(c *call) {
	v, ok := c.hash(c.args[1])
	if !ok {
		return
	}
	gone := int64(0)
	for _, name := range c.args[2:] {
		if i := v.fieldIndex(name); i >= 0 {
			v = &value{kind: aHash, until: v.until, fields: slices.Delete(slices.Clone(v.fields), i, i+1)}
			gone++
		}
	}
	switch {
	case gone > 0 && len(v.fields) == 0:
		c.e.remove(c.args[1])
	case gone > 0:
		c.e.put(c.args[1], v)
	}
	c.out.Integer(gone)
}

func hincrby(c *call) {
	by, ok := integer(c.args[3])
	if !ok {
		c.out.Error(notInteger)
		return
	}
	v, ok := c.hash(c.args[1])
	if !ok {
		return
	}
	n, isNumber := int64(0), true
	if i := v.fieldIndex(c.args[2]); i >= 0 {
		n, isNumber = integer(v.fields[i].value)
	}
	switch {
	case !isNumber:
		c.out.Error("ERR hash value is not an integer")
	case by < 0 && n < math.MinInt64-by || by > 0 && n > math.MaxInt64-by:
		c.out.Error(overflow)
	default:
		c.e.put(c.args[1], v.with(c.args[2], strconv.FormatInt(n+by, 10)))
		c.out.Integer(n + by)
	}
}

// hgetall is HGETALL, HKEYS and HVALS.
func hgetall(c *call) {
	v, ok := c.hash(c.args[1])
	if !ok {
		return
	}
	var all []string
	if v != nil {
		for _, f := range v.fields {
			switch strings.ToLower(c.args[0]) {
			case "hkeys":
				all = append(all, f.name)
			case "hvals":
				all = append(all, f.value)
			default:
				all = append(all, f.name, f.value)
			}
		}
	}
	if strings.EqualFold(c.args[0], "hgetall") {
		c.out.Map(len(all) / 2)
	} else {
		c.out.Array(len(all))
	}
	for _, s := range all {
		c.out.Bulk(s)
	}
}
