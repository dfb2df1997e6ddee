package sim

import (
	"time"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
)

// block lets a connection wait for replicas, or for keys.
func (n *node) block(c *conn, b *engine.Wait, upTo uint64) []byte {
	if !b.ForKeys() {
		c.session.Blocked = nil
		return n.await(c, *b, upTo)
	}
	w := &waiting{forKeys: true}
	c.waiting = w
	if b.Timeout > 0 {
		n.scheduler.schedule(time.Duration(b.Timeout)*time.Millisecond, func() { n.giveUp(c, w) })
	}
	return nil
}

// giveUp ends a wait for keys. If the node does not run now, it does so later.
func (n *node) giveUp(c *conn, w *waiting) {
	if c.waiting == w && !n.postpone(func() { n.giveUp(c, w) }) {
		n.waited(c, w)
	}
}

// resume lets connections go on if a key that they waited for was written.
func (n *node) resume() {
	for s := n.engine.Ready(n.clock()); s != nil; s = n.engine.Ready(n.clock()) {
		args, before := s.Blocked.Args(), n.engine.Version()
		c := n.conn(s)
		n.runs, n.effects = c, nil
		reply := n.engine.Resume(n.clock(), s)
		n.runs, c.waiting = nil, nil
		n.executed(c, args, reply, before)
		c.answer(reply)
		c.upTo = n.streamOffset()
		n.serve(c)
	}
}

func (n *node) conn(s *engine.Session) *conn {
	for _, c := range n.conns {
		if c.session == s {
			return c
		}
	}
	return nil
}

// cleanTime is how often redis-server looks for expired keys.
const cleanTime = 100 * time.Millisecond

// clean schedules the removal of expired keys if a connection wants to hear of it. Otherwise no
// client can tell when a key is removed.
func (n *node) clean() {
	if !n.engine.Tracked() || n.engine.Replica {
		return
	}
	first := n.engine.Soonest()
	over := time.Duration(first-n.clock()/1000+1) * time.Millisecond
	at := time.Duration(n.scheduler.Now()) + max(over, 0)
	at += cleanTime - at%cleanTime
	if first != 0 && (n.cleans == 0 || int64(at) < n.cleans) {
		n.cleans = int64(at)
		n.scheduler.schedule(at-time.Duration(n.scheduler.Now()), func() { n.cleaned(int64(at)) })
	}
}

// cleaned removes expired keys at the time that clean scheduled.
func (n *node) cleaned(at int64) {
	if n.cleans != at || n.postpone(func() { n.cleaned(at) }) {
		return
	}
	n.cleans = 0
	n.engine.Expire(n.clock())
	n.clean()
}
