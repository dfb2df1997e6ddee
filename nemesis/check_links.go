package nemesis

import (
	"fmt"
	"slices"
	"strings"
)

// linkFault is a fault on a link, with the number of its step.
type linkFault struct {
	Step
	number int
}

// link returns an error if a pattern matches no link. A pattern may start with a client that gets
// its number only during the run.
func (c *script) link(pattern string) error {
	who, rest, found := strings.Cut(pattern, ">")
	name := strings.TrimSuffix(who, "+")
	if _, err := Client(name); found && err != nil && (name == Hit || name == Waiter ||
		c.named[name]) {
		pattern = strings.Replace(who, name, "c0", 1) + ">" + rest
	}
	if !c.stage.hasLink(pattern) {
		return fmt.Errorf("unknown link %q; links are called c0>n0, c0>*, *>n0%s", pattern,
			c.serverLinks())
	}
	return nil
}

// serverLinks returns the links of servers, for a message.
func (c *script) serverLinks() (list string) {
	for _, l := range c.stage.links() {
		if !strings.HasPrefix(l, "c") {
			list += ", " + l
		}
	}
	return list
}

// connects records the faults on links and returns an error if two of them exclude each other. A
// proxy delays a link in one way only, and a fault on a client's first link misses a client that
// was redirected to the second.
func (c *script) connects(s Step, number int) error {
	switch {
	case s.Do == Redirect && s.Node == Spare:
		c.spare[s.Target] = number
	case s.Do == Heal:
		c.links = slices.DeleteFunc(c.links, func(f linkFault) bool { return meet(s.Target, f.Target) })
	case s.action().Target == Link:
		who, _, _ := strings.Cut(s.Target, ">")
		for other, by := range c.spare {
			if meet(who, other) {
				return fmt.Errorf("%s: since step %d %s may go another way than %s", s.Do, by+1, other,
					s.Target)
			}
		}
		for _, f := range c.links {
			if f.action().Family == s.action().Family && (f.Mode == s.Mode || f.Mode == Both ||
				s.Mode == Both) &&
				meet(s.Target, f.Target) {
				return fmt.Errorf("%s: step %d has done %s to %s already; heal that first", s.Do, f.number+1,
					f.Do, f.Target)
			}
		}
		c.links = append(c.links, linkFault{s, number})
	}
	return nil
}

// meet reports whether two names may mean the same client or link. A client that gets its number
// only during the run may be any client.
func meet(a, b string) bool {
	same := func(x, y string) bool {
		_, one := Client(strings.TrimSuffix(x, "+"))
		_, other := Client(strings.TrimSuffix(y, "+"))
		server := func(s string) bool {
			return s == "" || strings.ContainsAny(s[:1], "nrsb") &&
				len(s) <= 2
		}
		switch {
		case x == y || x == "*" || y == "*":
			return true
		case one == nil && other == nil || server(x) || server(y):
			return false
		}
		return strings.HasSuffix(x, "+") == strings.HasSuffix(y, "+")
	}
	a0, a1, _ := strings.Cut(a, ">")
	b0, b1, _ := strings.Cut(b, ">")
	return same(a0, b0) && (a1 == b1 || a1 == "*" || b1 == "*" || a1 == "" || b1 == "")
}
