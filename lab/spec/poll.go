package spec

import (
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// outcome is the result of an attempt.
type outcome int

const (
	granted outcome = iota
	refused         // another client has the lock
	lost            // another client has the lock, but the attempt has changed something
	failed          // an error ends the call
	broken          // an error ends the call, and the attempt has changed something
)

// poll reads the loop that readers of the documents write around one attempt. The loop tries again
// after each pause, until the lock is granted, an error occurs, or the time for waiting is over. It
// releases a grant that too few replicas confirmed.
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

// pauseIsOver reports whether the next command was sent after the pause.
func (c *reader) pauseIsOver(pause time.Duration) bool {
	return c.last == nil || c.last.Recv == 0 || c.next().Sent >= c.last.Recv+int64(pause)
}

// rested departs if the next command was sent before the pause was over.
func (c *reader) rested(pause time.Duration) {
	if m := c.next(); m != nil && !c.pauseIsOver(pause) {
		c.depart(m.Sent, "tried again after %d ns, where it pauses for %s", m.Sent-c.last.Recv, pause)
	}
}

// acks reports whether the required number of replicas confirmed a grant.
func (c *call) acks(h *hold) bool { return h.acks >= c.options.WaitReplicas }

// givesBack reads a release within an acquire. The acquire is not granted, even if the release
// fails.
func (c *call) givesBack() {
	ended := c.ended
	c.ended = ""
	inner := *c
	inner.ended = ""
	c.page.release(&inner)
	c.sent, c.departed, c.ended = inner.sent, inner.departed, ended
	c.returns(history.Info)
}

// lease returns how long the server keeps a lock of this run, in nanoseconds, or 0 for ever.
func (c *call) lease() int64 { return int64(c.options.TTL) }

// sendsNothing reads a call of the controls local and none, which send no commands.
func sendsNothing(c *call) {
	if c.f == history.Acquire && c.ended == history.OK {
		c.holds[c.n] = &hold{}
	}
	c.returns(history.OK, history.Fail, history.Info)
}

// taken returns the outcome that a reply to SETNX means. It also reads scripts that reply 1 and 0.
func taken(r reply) outcome {
	switch {
	case r.failed():
		return failed
	case r.is("1"):
		return granted
	}
	return refused
}
