package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

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

// hset is HSET and HMSET.
func hset(c *call) {
	if len(c.args)%2 != 0 {
		c.out.Error(arity(c.args[0]))
		return
	}
	v, ok := c.collection(c.args[1], aHash)
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
	if strings.EqualFold(c.args[0], "hmset") {
		c.out.Status("OK")
	} else {
		c.out.Integer(added)
	}
}

func hsetnx(c *call, v *value) {
	free := v.fieldIndex(c.args[2]) < 0
	if free {
		c.e.put(c.args[1], v.with(c.args[2], c.args[3]))
	}
	c.out.Boolean(free)
}

func hget(c *call, v *value) { c.out.fieldOf(v, c.args[2]) }

func hmget(c *call, v *value) {
	c.out.Array(len(c.args) - 2)
	for _, name := range c.args[2:] {
		c.out.fieldOf(v, name)
	}
}

func hincrby(c *call) {
	by, ok := integer(c.args[3])
	if !ok {
		c.out.Error(notInteger)
		return
	}
	v, ok := c.collection(c.args[1], aHash)
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
func hgetall(c *call, v *value) {
	name := strings.ToLower(c.args[0])
	var all []string
	for _, f := range v.entries() {
		if name != "hvals" {
			all = append(all, f.name)
		}
		if name != "hkeys" {
			all = append(all, f.value)
		}
	}
	if name == "hgetall" {
		c.out.Map(len(all) / 2)
	} else {
		c.out.Array(len(all))
	}
	for _, s := range all {
		c.out.Bulk(s)
	}
}
