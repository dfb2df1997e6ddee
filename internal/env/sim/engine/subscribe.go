package engine

import (
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// pattern is a subscription to all channels whose names match.
type pattern struct {
	text string
	s    *Session
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
	for _, s := range c.e.subs[channel] {
		c.e.push(s, message(s, "message", channel, text))
		n++
	}
	for _, p := range c.e.patterns {
		if Glob(p.text, channel) {
			c.e.push(p.s, message(p.s, "pmessage", p.text, channel, text))
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

func subscribe(c *call) {
	for _, ch := range c.args[1:] {
		if !slices.Contains(c.s.subs, ch) {
			c.s.subs = append(c.s.subs, ch)
			c.e.subs[ch] = append(c.e.subs[ch], c.s)
		}
		c.out.subscription(c.s, "subscribe", &ch)
	}
}

func psubscribe(c *call) {
	for _, p := range c.args[1:] {
		if !slices.Contains(c.s.patterns, p) {
			c.s.patterns = append(c.s.patterns, p)
			c.e.patterns = append(c.e.patterns, pattern{p, c.s})
		}
		c.out.subscription(c.s, "psubscribe", &p)
	}
}

func unsubscribe(c *call) { c.end("unsubscribe", c.s.subs, c.e.unsubscribe) }

func punsubscribe(c *call) { c.end("punsubscribe", c.s.patterns, c.e.punsubscribe) }

// end ends the subscriptions that a command names, or all.
func (c *call) end(what string, all []string, leave func(*Session, string)) {
	names := c.args[1:]
	if len(names) == 0 {
		names = slices.Clone(all)
	}
	for _, name := range names {
		leave(c.s, name)
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
			different[p.text] = true
		}
		c.out.Integer(int64(len(different)))
	case sub == "numsub":
		c.out.Array(2 * len(c.args[2:]))
		for _, ch := range c.args[2:] {
			c.out.Bulk(ch)
			c.out.Integer(int64(len(c.e.subs[ch])))
		}
	default:
		c.out.Error(c.noSubcommand())
	}
}

func (e *Engine) unsubscribe(s *Session, channel string) {
	without := func(x *Session) bool { return x == s }
	if all := slices.DeleteFunc(e.subs[channel], without); len(all) > 0 {
		e.subs[channel] = all
	} else {
		delete(e.subs, channel)
	}
	s.subs = slices.DeleteFunc(s.subs, func(x string) bool { return x == channel })
}

func (e *Engine) punsubscribe(s *Session, text string) {
	e.patterns = slices.DeleteFunc(e.patterns, func(p pattern) bool { return p == pattern{text, s} })
	s.patterns = slices.DeleteFunc(s.patterns, func(x string) bool { return x == text })
}
