package harness

import (
	"fmt"

	"github.com/lockbench/lockbench/nemesis"
)

// nemesisRunner carries out the steps of a scenario in order, and waits where a step says so.
type nemesisRunner struct {
	run    *run
	steps  []nemesis.Step
	at     int   // the current step
	begun  bool  // it has been begun and is waited for
	until  int64 // environment's clock at which it is over, if it is timed
	heard  int   // promotions that an Elected has waited for
	losses []int // leases that each client had lost when the current Await began
	anyMet bool  // a client came to where an Await waited for it
	breakpoints
	effects
}

// done reports whether every step has been carried out.
func (c *nemesisRunner) done() bool { return c.at >= len(c.steps) }

// wake is when the current step may be over without any report.
func (c *nemesisRunner) wake() int64 {
	if c.done() || !c.begun || !c.timed(c.steps[c.at]) {
		return never
	}
	return c.limit(c.steps[c.at])
}

// timed reports whether a step is over after a while, whatever happens.
func (c *nemesisRunner) timed(s nemesis.Step) bool {
	return s.Do == nemesis.Wait || s.Do == nemesis.Elected || s.Await != nil && s.For > 0
}

// advance carries out steps until one must be waited for.
func (c *nemesisRunner) advance() error {
	for !c.done() {
		s := c.steps[c.at]
		if !c.begun {
			if err := c.begin(s); err != nil {
				return fmt.Errorf("step %d %s: %w", c.at+1, s, err)
			}
			c.begun = true
		}
		if !c.over(s) {
			return nil
		}
		c.at, c.begun = c.at+1, false
		c.run.progress.over = c.run.now()
	}
	return nil
}

// over reports whether what a step waits for has come.
func (c *nemesisRunner) over(s nemesis.Step) bool {
	switch {
	case s.Await != nil:
		return c.met(*s.Await) || s.For > 0 && c.run.environment.Now() >= c.limit(s)
	case s.Do == nemesis.Quiesce:
		return !c.run.busy()
	case s.Do == nemesis.Wait:
		return c.run.environment.Now() >= c.until
	case s.Do == nemesis.Elected:
		heard := c.run.progress.promoted > c.heard
		c.heard = c.run.progress.promoted
		return heard || c.run.environment.Now() >= c.until
	case s.Do == nemesis.Warm:
		p, need := &c.run.progress, c.run.plan.Requires
		return p.contended >= need.Contended+margin && p.handovers >= need.Handovers
	}
	return true
}

// met reports whether the client that is awaited has come.
func (c *nemesisRunner) met(a nemesis.Await) bool {
	if a.Phase == nemesis.Lost {
		c.findLoser(a)
	}
	if c.stopped == nil || a.Contended && c.run.waiter(*c.stopped) < 0 {
		return false
	}
	c.anyMet = true
	c.name(a)
	return true
}

// begin starts a step; most are over at once.
func (c *nemesisRunner) begin(s nemesis.Step) error {
	switch {
	case s.Await != nil:
		c.until = c.run.environment.Now() + int64(s.For)
		c.await(c.at)
	case s.Do == nemesis.Quiesce:
		c.run.quiet, c.run.only = true, ""
	case s.Do == nemesis.Resume:
		c.awaitNext()
		c.run.quiet, c.run.only = s.Target != "", s.Target
	case s.Do == nemesis.Wait, s.Do == nemesis.Elected:
		c.until = c.run.environment.Now() + int64(s.For)
		if s.Until > 0 {
			c.until = c.run.epoch + int64(s.Until)
		}
	case s.Do == nemesis.Warm:
	case s.Do == nemesis.Go:
		c.awaitNext()
		c.pass(s.Target)
	case s.Fault():
		return c.fault(c.resolve(s))
	case s.Repairs():
		return c.repair(c.resolve(s))
	default:
		return nemesis.Apply(c.run.environment, s)
	}
	return nil
}
