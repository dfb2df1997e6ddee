package harness

import (
	"math"

	"github.com/lockbench/lockbench/nemesis"
)

// limit is the environment's clock at which a timed step is over, whatever happens. A wait for
// another client that is shorter than the lease is no reason to outlive it: who stands at a
// breakpoint meanwhile goes on in time for its work and for a slow machine.
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

// mustGo is when a client that is inside has to go on to leave before its lease is over. It may
// stay if the lease is over: the fault before the wait has outlasted it.
func (c *nemesisRunner) mustGo(i int) int64 {
	h := c.clients.all[i].hold
	if !h.inside || h.over == 0 || c.record.epoch+h.over < c.record.environment.Now() {
		return math.MaxInt64
	}
	return c.record.epoch + h.over - int64(c.plan.Hold) - int64(c.plan.TTL)/8
}
