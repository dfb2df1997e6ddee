package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// Wait is a command without an answer yet. It is either a WAIT for replicas, which the caller of
// the engine answers, or a command that waits for one of its keys.
type Wait struct {
	Replicas int
	Timeout  int64 // ms, or 0 for ever
	keys     []string
	args     []string
	on       blocking
}

// Args returns the words of the command.
func (w *Wait) Args() []string { return w.args }

// ForKeys reports whether the command waits for keys.
func (w *Wait) ForKeys() bool { return w.keys != nil }

// blocking is a command that waits until a key has an element to take.
type blocking struct {
	kind kind
	keys func(args []string) []string
	take func(c *call, key string) // takes from an existing key and replies
	none func(out *resp.Writer)    // the reply if the command must not wait
}

var (
	popEnd   = blocking{aList, allButLast, takeEnd, (*resp.Writer).NullArray}
	moveEnd  = blocking{aList, source, takeMoved, (*resp.Writer).Null}
	popScore = blocking{aSortedSet, allButLast, takeScore, (*resp.Writer).NullArray}
)

// allButLast returns the keys of a command whose last word is the time.
func allButLast(args []string) []string { return args[1 : len(args)-1] }

// source returns the key of the list that loses an element.
func source(args []string) []string { return args[1:2] }

// blocks returns a command that takes an element from the first of its keys that has one, or waits.
func blocks(b blocking) func(*call) {
	return func(c *call) {
		if _, _, ok := c.listEnds(); !ok {
			return
		}
		timeout, ok := c.timeout(c.args[len(c.args)-1])
		if !ok {
			return
		}
		keys := b.keys(c.args)
		for _, key := range keys {
			if v, ok := c.collection(key, b.kind); !ok {
				return
			} else if v != nil {
				b.take(c, key)
				return
			}
		}
		if c.queued || c.s.script {
			b.none(&c.out.Writer)
			return
		}
		c.s.Blocked = &Wait{Timeout: timeout, keys: keys, args: c.args, on: b}
		c.e.blocked = append(c.e.blocked, c.s)
	}
}

// timeout reads the seconds that a command waits, and returns ms. If they are invalid, it replies
// the error and returns false.
func (c *call) timeout(text string) (int64, bool) {
	s, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(s) || s > math.MaxInt64/1000:
		c.out.Error("ERR timeout is not a float or out of range")
	case s < 0:
		c.out.Error("ERR timeout is negative")
	default:
		return int64(math.Ceil(s * 1000)), true
	}
	return 0, false
}

// takeEnd is BLPOP and BRPOP of an existing list.
func takeEnd(c *call, key string) {
	next := c.e.get(key).copied(aList)
	taken := next.take(strings.EqualFold(c.args[0], "blpop"), 1)
	c.keep(key, next)
	c.out.bulks([]string{key, taken[0].name})
}

// takeMoved is BRPOPLPUSH and BLMOVE of an existing list.
func takeMoved(c *call, _ string) {
	without := *c // the words of the command that does not wait
	without.args = c.args[:len(c.args)-1]
	move(&without)
	c.out = without.out
}

// takeScore is BZPOPMIN and BZPOPMAX of an existing sorted set.
func takeScore(c *call, key string) {
	f := c.popRanked(key, c.e.get(key), 1)[0]
	c.out.Array(3)
	c.out.Bulk(key)
	c.out.Bulk(f.name)
	c.out.Double(f.value)
}

// signal notes that a key has got an element that a blocked connection may wait for.
func (e *Engine) signal(key string) {
	if len(e.blocked) > 0 && !slices.Contains(e.ready, key) {
		e.ready = append(e.ready, key)
	}
}

// Ready returns a connection that can go on because its key got an element. If there are several,
// it returns the one that has waited longest. It returns nil if there is none.
func (e *Engine) Ready(now int64) *Session {
	for e.now = now; len(e.ready) > 0; e.ready = e.ready[1:] {
		v := e.get(e.ready[0])
		if v == nil {
			continue
		}
		for _, s := range e.blocked {
			if s.Blocked.on.kind == v.kind && slices.Contains(s.Blocked.keys, e.ready[0]) {
				return s
			}
		}
	}
	return nil
}

// Resume executes the command of a connection that Ready returned, and returns the reply.
func (e *Engine) Resume(now int64, s *Session) []byte {
	key, b := e.ready[0], s.Blocked
	e.unblock(s)
	return e.run(now, s, b.args, func(c *call) { b.on.take(c, key) })
}

// GiveUp ends the wait of a connection whose time is over, and returns the reply.
func (e *Engine) GiveUp(s *Session) []byte {
	r := resp.Writer{Three: s.three}
	r.NullArray()
	e.unblock(s)
	return r.B
}

// unblock forgets that a connection waits for keys.
func (e *Engine) unblock(s *Session) {
	e.blocked = slices.DeleteFunc(e.blocked, func(x *Session) bool { return x == s })
	s.Blocked = nil
}
