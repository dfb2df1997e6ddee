package spec

import (
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// outcome is what an attempt came to.
type outcome int

const (
	granted outcome = iota
	refused         // the lock is another's
	lost            // so too, but the attempt has changed something
	failed          // an error ends the call
	broken          // so too, and the attempt has changed something
)

// poll is the loop that readers of the documents write around one attempt: again and again, with a
// pause after each, until the lock is granted, an error comes, or the time for waiting is over. A
// grant that too few replicas confirmed is given back.
func (c *call) poll(pause time.Duration, attempt func(*hold) outcome) {
	left, first := false, c.next()
	for c.more() && !(c.passes(c.next()) &&
		(!c.pauseIsOver(pause) || c.next().Args[0] != first.Args[0])) {
		h := &hold{}
		c.rested(pause)
		got := attempt(h)
		if got == granted && c.acks(h) {
			c.grants(*h, c.lease())
			return
		}
		switch got {
		case granted:
			h.keys, c.holds[c.n] = c.keys, h
			c.givesBack()
			return
		case failed, broken:
			c.fails(left || got == broken)
			return
		case lost:
			left = true
		}
	}
	switch {
	case left:
		c.returns(history.Info)
	default:
		c.returns(history.Fail)
	}
}

// pauseIsOver reports whether a pause is over when the next command is sent.
func (c *reader) pauseIsOver(pause time.Duration) bool {
	return c.last == nil || c.last.Recv == 0 || c.next().Sent >= c.last.Recv+int64(pause)
}

// rested says how long the pause before the next command has to be at least.
func (c *reader) rested(pause time.Duration) {
	if m := c.next(); m != nil && !c.pauseIsOver(pause) {
		c.depart(m.Sent, "tried again after %d ns, where it pauses for %s", m.Sent-c.last.Recv, pause)
	}
}

// acks reports whether as many replicas as are asked for confirmed a grant.
func (c *call) acks(h *hold) bool { return h.acks >= c.options.WaitReplicas }

// givesBack reads a release within an acquire, which is not granted whatever comes of it.
func (c *call) givesBack() {
	ended := c.ended
	c.ended = ""
	inner := *c
	inner.ended = ""
	c.page.release(&inner)
	c.sent, c.departed, c.ended = inner.sent, inner.departed, ended
	c.returns(history.Info)
}

// lease is the time for which the server keeps a lock of this run, in nanoseconds; 0: for ever.
func (c *call) lease() int64 { return int64(c.options.TTL) }

// sendsNothing is for the controls, which keep nothing in Redis.
func sendsNothing(c *call) {
	if c.f == history.Acquire && c.ended == history.OK {
		c.holds[c.n] = &hold{}
	}
	c.returns(history.OK, history.Fail, history.Info)
}

// taken is what a reply to SETNX, or to a script that replies 1 and 0 as it does, means.
func taken(r reply) outcome {
	switch {
	case r.failed():
		return failed
	case r.is("1"):
		return granted
	}
	return refused
}
