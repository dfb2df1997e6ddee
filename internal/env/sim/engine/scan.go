package engine

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// keys lists the keys that match a pattern, sorted by name. A real server lists them in any order.
func keys(c *call) {
	c.out.bulks(c.e.names(func(k string, _ *value) bool { return Glob(c.args[1], k) }))
}

// names returns the names of the keys that want accepts, sorted.
func (e *Engine) names(want func(key string, v *value) bool) (found []string) {
	for _, k := range slices.Sorted(maps.Keys(e.keys)) {
		if v := e.get(k); v != nil && want(k, v) {
			found = append(found, k)
		}
	}
	return found
}

// scanOptions are the options after the cursor of a SCAN.
type scanOptions struct{ match, kind string }

// parse reads the options. If they are invalid, it replies the error and returns false.
func (o *scanOptions) parse(c *call, args []string) bool {
	o.match = "*"
	for ; len(args) > 1; args = args[2:] {
		switch word := strings.ToLower(args[0]); {
		case word == "match":
			o.match = args[1]
		case word == "type" && strings.EqualFold(c.args[0], "scan"):
			o.kind = args[1]
		case word == "count":
			if n, ok := integer(args[1]); !ok || n < 1 {
				c.out.Error(map[bool]string{true: syntax, false: notInteger}[ok])
				return false
			}
		default:
			c.out.Error(syntax)
			return false
		}
	}
	if len(args) > 0 {
		c.out.Error(syntax)
	}
	return len(args) == 0
}

// cursor reads the cursor of a scan, and reports whether it is the start. If it is invalid, cursor
// replies the error and returns false.
func (c *call) cursor(text string) (start, ok bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		c.out.Error("ERR invalid cursor")
	}
	return n == 0, err == nil
}

// scan replies all keys at once, sorted by name. Redis may also do so.
func scan(c *call) {
	var o scanOptions
	start, ok := c.cursor(c.args[1])
	if !ok || !o.parse(c, c.args[2:]) {
		return
	}
	c.out.scanned(c.e.names(func(k string, v *value) bool {
		typed := o.kind == "" || strings.EqualFold(o.kind, kindNames[v.kind])
		return start && typed && Glob(o.match, k)
	}))
}

// scanFields is HSCAN, SSCAN and ZSCAN.
func scanFields(k kind) func(*call) {
	return func(c *call) {
		var o scanOptions
		_, ok := c.cursor(c.args[2])
		if !ok {
			return
		}
		v, ok := c.collection(c.args[1], k)
		if !ok {
			return
		}
		if v != nil && !o.parse(c, c.args[3:]) {
			return
		}
		var all []string
		for _, f := range v.inOrder(k) {
			if Glob(o.match, f.name) {
				all = append(all, f.name)
				if k != aSet {
					all = append(all, f.value)
				}
			}
		}
		c.out.scanned(all)
	}
}

// inOrder returns the entries of a collection, or nothing if v is nil.
func (v *value) inOrder(k kind) []field {
	if k == aSortedSet {
		return v.ranked()
	}
	return v.copied(k).fields
}

// Glob reports whether a text matches a pattern as Redis reads it: "*", "?", "[a-c]", "[^a]", and a
// backslash before a letter that means itself.
func Glob(pattern, text string) bool {
	for pattern != "" {
		switch pattern[0] {
		case '*':
			pattern = strings.TrimLeft(pattern, "*")
			for i := range len(text) + 1 {
				if Glob(pattern, text[i:]) {
					return true
				}
			}
			return false
		case '[':
			if text == "" {
				return false
			}
			in, rest := class(pattern[1:], text[0])
			if !in {
				return false
			}
			pattern, text = rest, text[1:]
			continue
		case '\\':
			if len(pattern) > 1 {
				pattern = pattern[1:]
			}
			fallthrough
		default:
			if text == "" || pattern[0] != text[0] {
				return false
			}
		case '?':
			if text == "" {
				return false
			}
		}
		pattern, text = pattern[1:], text[1:]
	}
	return text == ""
}

// class reports whether a letter is in a class, whose text begins after the bracket, and returns
// what follows the class. A class that is not closed ends with the pattern.
func class(p string, letter byte) (in bool, rest string) {
	not := strings.HasPrefix(p, "^")
	if not {
		p = p[1:]
	}
	for p != "" && p[0] != ']' {
		switch {
		case p[0] == '\\' && len(p) > 1:
			in = in || p[1] == letter
			p = p[2:]
		case len(p) >= 3 && p[1] == '-':
			low, high := min(p[0], p[2]), max(p[0], p[2])
			in = in || low <= letter && letter <= high
			p = p[3:]
		default:
			in = in || p[0] == letter
			p = p[1:]
		}
	}
	return in != not, strings.TrimPrefix(p, "]")
}
