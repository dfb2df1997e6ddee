package engine

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

func sadd(c *call, v *value) {
	next, added := v.copied(aSet), int64(0)
	for _, s := range c.args[2:] {
		if next.fieldIndex(s) < 0 {
			next.fields = append(next.fields, field{name: s})
			added++
		}
	}
	if added > 0 {
		c.keep(c.args[1], next)
	}
	c.out.Integer(added)
}

// smembers lists a set in the order of insertion. A real server lists it in any order.
func smembers(c *call, v *value) {
	c.out.Set(len(v.entries()))
	for _, f := range v.entries() {
		c.out.Bulk(f.name)
	}
}

// score reads a number with a fraction, as Redis does.
func score(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsNaN(f) && !strings.ContainsAny(s, "_xXpP ")
}

func (f field) score() float64 {
	n, _ := score(f.value)
	return n
}

// ranked returns a sorted set in its order. It may be nil.
func (v *value) ranked() []field {
	all := v.copied(aSortedSet).fields
	slices.SortFunc(all, func(a, b field) int {
		return cmp.Or(cmp.Compare(a.score(), b.score()), cmp.Compare(a.name, b.name))
	})
	return all
}

// zaddOptions are the options after ZADD key.
type zaddOptions struct{ nx, xx, gt, lt, ch, incr bool }

// parse reads the options and returns what follows them.
func (o *zaddOptions) parse(args []string) []string {
	flags := map[string]*bool{"nx": &o.nx, "xx": &o.xx, "gt": &o.gt, "lt": &o.lt, "ch": &o.ch,
		"incr": &o.incr}
	for len(args) > 0 {
		f := flags[strings.ToLower(args[0])]
		if f == nil {
			break
		}
		*f = true
		args = args[1:]
	}
	return args
}

func (o zaddOptions) problem(rest []string) string {
	switch {
	case len(rest) == 0 || len(rest)%2 != 0:
		return syntax
	case o.nx && o.xx:
		return "ERR XX and NX options at the same time are not compatible"
	case o.gt && (o.nx || o.lt) || o.lt && o.nx:
		return "ERR GT, LT, and/or NX options at the same time are not compatible"
	case o.incr && len(rest) > 2:
		return "ERR INCR option supports a single increment-element pair"
	}
	return ""
}

// zadd is ZADD and ZINCRBY.
func zadd(c *call) {
	var o zaddOptions
	rest := c.args[2:]
	if o.incr = strings.EqualFold(c.args[0], "zincrby"); !o.incr {
		rest = o.parse(rest)
	}
	if p := o.problem(rest); p != "" {
		c.out.Error(p)
		return
	}
	for i := 0; i < len(rest); i += 2 {
		if _, ok := score(rest[i]); !ok {
			c.out.Error("ERR value is not a valid float")
			return
		}
	}
	v, ok := c.collection(c.args[1], aSortedSet)
	if !ok {
		return
	}
	next, added, changed, last := v.copied(aSortedSet), int64(0), int64(0), ""
	for i := 0; i < len(rest); i += 2 {
		n, _ := score(rest[i])
		before := len(next.fields)
		was, is := next.rate(rest[i+1], n, o)
		last = is
		if len(next.fields) > before {
			added++
		} else if is != "" && is != was {
			changed++
		}
	}
	if added+changed > 0 {
		c.keep(c.args[1], next)
	}
	switch {
	case o.incr && last == "":
		c.out.Null()
	case o.incr:
		c.out.Double(last)
	case o.ch:
		c.out.Integer(added + changed)
	default:
		c.out.Integer(added)
	}
}

// rate sets the score of an element. It returns the old and the new score. The new one is "" if the
// options forbid to set it.
func (v *value) rate(name string, n float64, o zaddOptions) (was, is string) {
	i := v.fieldIndex(name)
	switch {
	case i < 0 && o.xx, i >= 0 && o.nx:
		return "", ""
	case i < 0:
		is = formatNumber(n, 17)
		v.fields = append(v.fields, field{name, is})
		return "", is
	}
	was = v.fields[i].value
	old := v.fields[i].score()
	if o.incr {
		n += old
	}
	if o.gt && n <= old || o.lt && n >= old {
		return was, ""
	}
	v.fields[i].value = formatNumber(n, 17)
	return was, v.fields[i].value
}

func zscore(c *call, v *value) {
	if i := v.fieldIndex(c.args[2]); i >= 0 {
		c.out.Double(v.fields[i].value)
	} else {
		c.out.Null()
	}
}

func zrank(c *call, v *value) {
	i := slices.IndexFunc(v.ranked(), func(f field) bool { return f.name == c.args[2] })
	if i < 0 {
		c.out.Null()
	} else {
		c.out.Integer(int64(i))
	}
}

// zrange returns a range by rank. ZRANGEBYSCORE returns a range by score.
func zrange(c *call) {
	from, to, ok := c.bounds()
	if !ok {
		return
	}
	scores, ok := c.withScores()
	if !ok {
		return
	}
	if v, ok := c.collection(c.args[1], aSortedSet); ok {
		all := v.ranked()
		a, b := clampRange(len(all), from, to)
		c.out.ranking(all[a:b], scores)
	}
}

// withScores reports whether a command asks for scores. If it has another option, withScores
// replies the error and returns false.
func (c *call) withScores() (scores, ok bool) {
	scores = len(c.args) == 5 && strings.EqualFold(c.args[4], "withscores")
	if len(c.args) > 4 && !scores {
		c.out.Error(c.lack(c.args[0] + " with options but WITHSCORES"))
		return false, false
	}
	return scores, true
}

// scoreRange reads the bounds of scores. If they are invalid, it replies the error and returns
// false.
func (c *call) scoreRange() (in func(field) bool, ok bool) {
	low, lowOpen := strings.CutPrefix(c.args[2], "(")
	high, highOpen := strings.CutPrefix(c.args[3], "(")
	from, ok1 := score(cmp.Or(low, "0")) // C reads an empty text as zero here
	to, ok2 := score(cmp.Or(high, "0"))
	if !ok1 || !ok2 {
		c.out.Error("ERR min or max is not a float")
		return nil, false
	}
	return func(f field) bool {
		n := f.score()
		return (n > from || n == from && !lowOpen) && (n < to || n == to && !highOpen)
	}, true
}

// byScore returns a command on the elements of a sorted set whose scores are in a range.
func byScore(run func(c *call, v *value, in func(field) bool)) func(*call) {
	return func(c *call) {
		if in, ok := c.scoreRange(); ok {
			onValue(aSortedSet, func(c *call, v *value) { run(c, v, in) })(c)
		}
	}
}

func zrangebyscore(c *call) {
	in, ok := c.scoreRange()
	if !ok {
		return
	}
	scores, ok := c.withScores()
	if !ok {
		return
	}
	if v, ok := c.collection(c.args[1], aSortedSet); ok {
		c.out.ranking(slices.DeleteFunc(v.ranked(), func(f field) bool { return !in(f) }), scores)
	}
}

func zcount(c *call, v *value, in func(field) bool) {
	others := slices.DeleteFunc(slices.Clone(v.entries()), in)
	c.out.Integer(int64(len(v.entries()) - len(others)))
}

func zremrangebyscore(c *call, v *value, in func(field) bool) {
	c.shrink(v, slices.DeleteFunc(slices.Clone(v.entries()), in))
}
