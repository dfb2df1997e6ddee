package harness

import (
	"math"

	"github.com/lockbench/lockbench/nemesis"
)

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
