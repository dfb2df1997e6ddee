package harness

import (
	"cmp"
	"math"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// leaseTracker follows the hold of a client that is inside, and counts the leases that it lost.
type leaseTracker struct {
	inside bool
	since  int64 // stamp of its grant
	n      int
	over   int64 // run's time at which its lease ends, or 0 without a lease
	losses int   // leases that this client has lost so far
	lost   bool  // the lease of this hold is counted in losses
}

// learn updates the tracker by an event of the client.
func (h *leaseTracker) learn(e history.Event, now int64) {
	h.expire(now)
	switch {
	case e.F == history.Acquire && e.Type == history.OK && e.Depth == 0:
		*h = leaseTracker{inside: true, since: e.T, n: e.N, losses: h.losses}
		h.renew(e)
	case e.Type == history.Extend:
		h.renew(e)
	case e.Type == history.Lost:
		h.lose()
	case e.F == history.Release && e.Type == history.Invoke && e.N == h.n, e.Type == history.Exit:
		h.inside = false
	}
}

// renew learns when a lease ends. A grant that does not say when it was asked for may be as young
// as its event.
func (h *leaseTracker) renew(e history.Event) {
	if g := e.Grant; g != nil && g.Lease > 0 {
		h.over = cmp.Or(g.Sent, e.T) + int64(g.Lease)
	}
}

// expire notices that the lease is over.
func (h *leaseTracker) expire(now int64) {
	if h.over > 0 && now >= h.over {
		h.lose()
	}
}

func (h *leaseTracker) lose() {
	if h.inside && !h.lost {
		h.lost, h.losses = true, h.losses+1
	}
}

// countLosses starts to wait for a loss. A client that is already inside beyond its lease counts as
// a new loss.
func (c *nemesisRunner) countLosses() {
	c.losses = make([]int, len(c.clients.all))
	for i, l := range c.clients.all {
		h := &l.hold
		h.expire(c.record.now())
		c.losses[i] = h.losses
		if h.inside && h.lost {
			c.losses[i]--
		}
	}
}

// findLoser looks for a client that the Await names and that has lost its lease often enough.
func (c *nemesisRunner) findLoser(a nemesis.Await) {
	for i, l := range c.clients.all {
		l.hold.expire(c.record.now())
		b := c.breakpoints
		if b.stopped == nil && b.means(a.Client, i) && l.hold.losses-c.losses[i] >= max(a.Nth, 1) {
			b.stop(standing{i, l.key})
		}
	}
}

// nextLoss returns the environment's clock at which the next lease ends, if a step waits for that.
func (c *nemesisRunner) nextLoss() int64 {
	at := int64(never)
	if c.done() || c.steps[c.at].Await == nil || c.steps[c.at].Await.Phase != nemesis.Lost {
		return at
	}
	for _, l := range c.clients.all {
		if h := l.hold; h.inside && !h.lost && h.over > 0 {
			at = min(at, c.record.epoch+h.over)
		}
	}
	return at
}

// limit returns the environment's clock at which a timed step is over, whatever happens. A wait for
// another client must not make a client at a breakpoint outlive its lease, unless the wait is as
// long as the lease. So it ends early enough for that client to work and leave on a slow machine.
func (c *nemesisRunner) limit(s nemesis.Step) int64 {
	if s.Await == nil || s.For >= c.plan.TTL {
		return c.until
	}
	limit := c.until
	for i := range c.clients.all {
		if c.breakpoints.stands(i) {
			limit = min(limit, c.mustGo(i))
		}
	}
	return limit
}

// mustGo returns when a client inside has to go on to leave before its lease is over. The client
// may stay if the lease is already over, because the fault before the wait outlasted it.
func (c *nemesisRunner) mustGo(i int) int64 {
	h := c.clients.all[i].hold
	if !h.inside || h.over == 0 || c.record.epoch+h.over < c.record.environment.Now() {
		return math.MaxInt64
	}
	return c.record.epoch + h.over - int64(c.plan.Hold) - int64(c.plan.TTL)/8
}
