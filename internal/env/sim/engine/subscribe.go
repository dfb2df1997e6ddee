package engine

import (
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// subscription is the wish of a session to hear of a channel, or of all channels that match.
type subscription struct {
	to string
	s  *Session
}

// listens reports whether the connection may only listen, because it has subscriptions in RESP2. In
// RESP3 it may also send commands.
func (s *Session) listens() bool {
	return !s.three && len(s.subs)+len(s.patterns) > 0
}

// publish sends a message to the listeners of the channel first, and then to listeners of patterns.
func publish(c *call) {
	channel, text := c.args[1], c.args[2]
	n := int64(0)
	for _, sub := range c.e.subs {
		if sub.to == channel {
			c.e.push(sub.s, message(sub.s, "message", channel, text))
			n++
		}
	}
	for _, p := range c.e.patterns {
		if Glob(p.to, channel) {
			c.e.push(p.s, message(p.s, "pmessage", p.to, channel, text))
			n++
		}
	}
	c.out.Integer(n)
}

// message returns a message in the protocol of its listener.
func message(s *Session, words ...string) []byte {
	r := resp.Writer{Three: s.three}
	r.Push(len(words))
	for _, w := range words {
		r.Bulk(w)
	}
	return r.B
}

func subscribe(c *call) { c.join("subscribe", &c.s.subs, &c.e.subs) }

func psubscribe(c *call) { c.join("psubscribe", &c.s.patterns, &c.e.patterns) }

func unsubscribe(c *call) { c.leave("unsubscribe", &c.s.subs, &c.e.subs) }

func punsubscribe(c *call) { c.leave("punsubscribe", &c.s.patterns, &c.e.patterns) }

// join adds the subscriptions that a command names to those of the session and of all sessions.
func (c *call) join(what string, own *[]string, all *[]subscription) {
	for _, name := range c.args[1:] {
		if !slices.Contains(*own, name) {
			*own, *all = append(*own, name), append(*all, subscription{name, c.s})
		}
		c.out.subscription(c.s, what, &name)
	}
}

// leave ends the subscriptions that a command names, or all of the session.
func (c *call) leave(what string, own *[]string, all *[]subscription) {
	names := c.args[1:]
	if len(names) == 0 {
		names = slices.Clone(*own)
	}
	for _, name := range names {
		this := subscription{name, c.s}
		*own = slices.DeleteFunc(*own, func(x string) bool { return x == name })
		*all = slices.DeleteFunc(*all, func(x subscription) bool { return x == this })
		c.out.subscription(c.s, what, &name)
	}
	if len(names) == 0 {
		c.out.subscription(c.s, what, nil)
	}
}

// pubsub is PUBSUB NUMSUB, the number of listeners of each channel, and PUBSUB NUMPAT, the number
// of patterns.
func pubsub(c *call) {
	switch sub := strings.ToLower(c.args[1]); {
	case sub == "numpat" && len(c.args) == 2:
		different := map[string]bool{}
		for _, p := range c.e.patterns {
			different[p.to] = true
		}
		c.out.Integer(int64(len(different)))
	case sub == "numsub":
		c.out.Array(2 * len(c.args[2:]))
		for _, ch := range c.args[2:] {
			n := int64(0)
			for _, sub := range c.e.subs {
				if sub.to == ch {
					n++
				}
			}
			c.out.Bulk(ch)
			c.out.Integer(n)
		}
	default:
		c.out.Error(c.noSubcommand())
	}
}
