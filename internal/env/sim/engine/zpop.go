package engine

import (
	"slices"
	"strings"
)

// zpop is ZPOPMIN and ZPOPMAX.
func zpop(c *call) {
	if len(c.args) > 3 {
		c.out.Error(syntax)
		return
	}
	n, many, ok := c.amount()
	if !ok {
		return
	}
	v, ok := c.collection(c.args[1], aSortedSet)
	if !ok {
		return
	}
	taken := c.popRanked(c.args[1], v, int(min(n, int64(len(v.entries())))))
	if many {
		c.out.pairs(len(taken))
		for _, f := range taken {
			c.out.pair(f)
		}
		return
	}
	c.out.Array(2 * len(taken))
	for _, f := range taken {
		c.out.Bulk(f.name)
		c.out.Double(f.value)
	}
}

// popRanked removes n elements of a sorted set with the lowest scores, or the highest.
func (c *call) popRanked(key string, v *value, n int) []field {
	if n == 0 {
		return nil
	}
	all := v.ranked()
	if strings.HasSuffix(strings.ToLower(c.args[0]), "max") {
		slices.Reverse(all)
	}
	next := v.copied(aSortedSet)
	for _, f := range all[:n] {
		i := next.fieldIndex(f.name)
		next.fields = slices.Delete(next.fields, i, i+1)
	}
	c.keep(key, next)
	return all[:n]
}
