package engine

import (
	"slices"
	"strings"
)

// push is LPUSH and RPUSH, and LPUSHX and RPUSHX for an existing list.
func push(c *call, v *value) {
	name := strings.ToLower(c.args[0])
	if v == nil && strings.HasSuffix(name, "x") {
		c.out.Integer(0)
		return
	}
	next := v.copied(aList)
	for _, s := range c.args[2:] {
		if name[0] == 'l' {
			next.fields = slices.Insert(next.fields, 0, field{name: s})
		} else {
			next.fields = append(next.fields, field{name: s})
		}
	}
	c.keep(c.args[1], next)
	c.out.Integer(int64(len(next.fields)))
}

// pop is LPOP and RPOP, with or without a number of elements.
func pop(c *call) {
	n, many, ok := c.amount()
	if !ok {
		return
	}
	if len(c.args) > 3 {
		c.out.Error(arity(c.args[0]))
		return
	}
	v, ok := c.collection(c.args[1], aList)
	switch {
	case !ok:
		return
	case v == nil && many:
		c.out.NullArray()
		return
	case v == nil:
		c.out.Null()
		return
	}
	next := v.copied(aList)
	left := strings.EqualFold(c.args[0], "lpop")
	taken := next.take(left, int(min(n, int64(len(v.fields)))))
	if len(taken) > 0 {
		c.keep(c.args[1], next)
	}
	if many {
		c.out.names(taken)
	} else {
		c.out.Bulk(taken[0].name)
	}
}

// amount reads how many elements a command takes, and reports whether it says a number. If the
// number is invalid, amount replies the error and ok is false.
func (c *call) amount() (n int64, many, ok bool) {
	if len(c.args) != 3 {
		return 1, false, true
	}
	if n, ok = integer(c.args[2]); !ok || n < 0 {
		c.out.Error("ERR value is out of range, must be positive")
		return 0, true, false
	}
	return n, true, true
}

// take removes n elements from one end of a list, and returns them in the order of their removal.
func (v *value) take(left bool, n int) []field {
	at := 0
	if !left {
		at = len(v.fields) - n
	}
	taken := slices.Clone(v.fields[at : at+n])
	v.fields = slices.Delete(v.fields, at, at+n)
	if !left {
		slices.Reverse(taken)
	}
	return taken
}

// move is RPOPLPUSH, and LMOVE with the ends that it names.
func move(c *call) {
	fromLeft, toLeft, ok := c.listEnds()
	if !ok {
		return
	}
	from, ok := c.collection(c.args[1], aList)
	if !ok {
		return
	}
	if from == nil {
		c.out.Null()
		return
	}
	if _, ok := c.collection(c.args[2], aList); !ok {
		return
	}
	rest := from.copied(aList)
	moved := rest.take(fromLeft, 1)[0]
	c.keep(c.args[1], rest)
	to := c.e.get(c.args[2]).copied(aList)
	if toLeft {
		to.fields = slices.Insert(to.fields, 0, moved)
	} else {
		to.fields = append(to.fields, moved)
	}
	c.keep(c.args[2], to)
	c.out.Bulk(moved.name)
}

// listEnds reads which ends of its lists an LMOVE or BLMOVE names. If they are invalid, it replies
// the error and returns false. For other commands it returns the ends of RPOPLPUSH.
func (c *call) listEnds() (fromLeft, toLeft, ok bool) {
	if !strings.HasSuffix(strings.ToLower(c.args[0]), "lmove") {
		return false, true, true
	}
	ends := map[string]bool{"left": true, "right": false}
	fromLeft, ok1 := ends[strings.ToLower(c.args[3])]
	toLeft, ok2 := ends[strings.ToLower(c.args[4])]
	if !ok1 || !ok2 {
		c.out.Error(syntax)
	}
	return fromLeft, toLeft, ok1 && ok2
}

// size is HLEN, LLEN, SCARD and ZCARD.
func size(c *call, v *value) { c.out.Integer(int64(len(v.entries()))) }

// withdraw is HDEL, SREM and ZREM.
func withdraw(c *call, v *value) {
	c.shrink(v, slices.DeleteFunc(slices.Clone(v.entries()), func(f field) bool {
		return slices.Contains(c.args[2:], f.name)
	}))
}

// shrink keeps these of a collection's entries, and replies how many are gone. It may be nil.
func (c *call) shrink(v *value, left []field) {
	gone := len(v.entries()) - len(left)
	if gone > 0 {
		next := *v
		next.fields = left
		c.keep(c.args[1], &next)
	}
	c.out.Integer(int64(gone))
}

// contains is HEXISTS and SISMEMBER.
func contains(c *call, v *value) { c.out.Boolean(v.fieldIndex(c.args[2]) >= 0) }

// clampRange returns [from, to] of n elements, where numbers below zero count from the end.
func clampRange(n int, from, to int64) (int, int) {
	if from < 0 {
		from = max(int64(n)+from, 0)
	}
	if to < 0 {
		to = int64(n) + to
	}
	to = min(to, int64(n)-1)
	if from > to {
		return 0, 0
	}
	return int(from), int(to) + 1
}

// bounds reads the numbers of a range. If they are invalid, it replies the error and returns false.
func (c *call) bounds() (from, to int64, ok bool) {
	from, ok1 := integer(c.args[2])
	to, ok2 := integer(c.args[3])
	if !ok1 || !ok2 {
		c.out.Error(notInteger)
	}
	return from, to, ok1 && ok2
}

// onRange returns a command on a range of the value of its key.
func onRange(k kind, run func(c *call, v *value, from, to int64)) func(*call) {
	return func(c *call) {
		if from, to, ok := c.bounds(); ok {
			onValue(k, func(c *call, v *value) { run(c, v, from, to) })(c)
		}
	}
}

func lrange(c *call, v *value, from, to int64) {
	a, b := clampRange(len(v.entries()), from, to)
	c.out.names(v.entries()[a:b])
}

func ltrim(c *call, v *value, from, to int64) {
	if v != nil {
		next := v.copied(aList)
		a, b := clampRange(len(next.fields), from, to)
		next.fields = next.fields[a:b]
		c.keep(c.args[1], next)
	}
	c.out.Status("OK")
}

func lindex(c *call, v *value) {
	if v == nil {
		c.out.Null()
		return
	}
	i, ok := integer(c.args[2])
	if !ok {
		c.out.Error(notInteger)
		return
	}
	if i < 0 {
		i += int64(len(v.fields))
	}
	if i < 0 || i >= int64(len(v.fields)) {
		c.out.Null()
		return
	}
	c.out.Bulk(v.fields[i].name)
}

// lrem removes the first, the last or all elements of a value.
func lrem(c *call) {
	n, ok := integer(c.args[2])
	if !ok {
		c.out.Error(notInteger)
		return
	}
	v, ok := c.collection(c.args[1], aList)
	if !ok {
		return
	}
	left, gone := slices.Clone(v.entries()), int64(0)
	if n < 0 {
		slices.Reverse(left)
	}
	left = slices.DeleteFunc(left, func(f field) bool {
		is := f.name == c.args[3] && (n == 0 || gone < max(n, -n))
		if is {
			gone++
		}
		return is
	})
	if n < 0 {
		slices.Reverse(left)
	}
	c.shrink(v, left)
}
