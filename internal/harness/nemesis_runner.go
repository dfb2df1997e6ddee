package harness

import (
	"fmt"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// nemesisRunner carries out the steps of a scenario in order, and waits where a step says so.
type nemesisRunner struct {
	plan        *Plan
	clients     *clients
	record      *record
	breakpoints *breakpoints
	effects     *effects
	steps       []nemesis.Step
	at          int   // number of the current step
	begun       bool  // the current step has started, and the run waits for its end
	until       int64 // environment's clock at which the step is over, if it is timed
	heard       int   // promotions that an Elected has waited for
	losses      []int // leases that each client had lost when the current Await started
	anyMet      bool  // a client came where an Await waited for it
}

func newNemesisRunner(p *Plan, all *clients, r *record) *nemesisRunner {
	b := &breakpoints{clients: all}
	all.means = b.means
	return &nemesisRunner{plan: p, clients: all, record: r, breakpoints: b, steps: p.Scenario,
		effects: &effects{plan: p, clients: all, record: r, breakpoints: b}}
}

// done reports whether every step has been carried out.
func (c *nemesisRunner) done() bool { return c.at >= len(c.steps) }

// wake returns the environment's clock at which the current step is over without any report.
func (c *nemesisRunner) wake() int64 {
	if c.done() || !c.begun || !c.timed(c.steps[c.at]) {
		return never
	}
	return c.limit(c.steps[c.at])
}

// timed reports whether a step ends after some time, whatever happens.
func (c *nemesisRunner) timed(s nemesis.Step) bool {
	return s.Do == nemesis.Wait || s.Do == nemesis.Elected || s.Await != nil && s.For > 0
}

// advance carries out steps until one has to wait.
func (c *nemesisRunner) advance() error {
	for !c.done() {
		s := c.steps[c.at]
		if !c.begun {
			if err := c.begin(s); err != nil {
				return fmt.Errorf("step %d %s: %w", c.at+1, s, err)
			}
			c.begun = true
		}
		if !c.stepIsDone(s) {
			return nil
		}
		c.at, c.begun = c.at+1, false
		c.record.progress.over = c.record.now()
	}
	return nil
}

// stepIsDone reports whether a step has nothing left to wait for.
func (c *nemesisRunner) stepIsDone(s nemesis.Step) bool {
	switch {
	case s.Await != nil:
		return c.hasArrived(*s.Await) || c.ranOut(s)
	case s.Do == nemesis.Quiesce:
		return !c.clients.busy()
	case s.Do == nemesis.Wait:
		return c.record.environment.Now() >= c.until
	case s.Do == nemesis.Elected:
		heard := c.record.progress.promoted > c.heard
		c.heard = c.record.progress.promoted
		return heard || c.record.environment.Now() >= c.until
	case s.Do == nemesis.Warm:
		p, need := c.record.progress, c.plan.Requires
		return p.contended >= need.Contended+margin && p.handovers >= need.Handovers
	}
	return true
}

// ranOut reports whether the time of an Await is over, if it has one. It then disarms the
// breakpoint, unless a client waits there already.
func (c *nemesisRunner) ranOut(s nemesis.Step) bool {
	if s.For == 0 || c.record.environment.Now() < c.limit(s) {
		return false
	}
	if c.breakpoints.stopped == nil {
		c.breakpoints.release()
	}
	return true
}

// hasArrived reports whether the awaited client has reached its breakpoint.
func (c *nemesisRunner) hasArrived(a nemesis.Await) bool {
	if a.Phase == nemesis.Lost {
		c.findLoser(a)
	}
	at := c.breakpoints.stopped
	if at == nil || a.Contended && c.clients.waiter(*at) < 0 {
		return false
	}
	c.anyMet = true
	c.breakpoints.name(a)
	return true
}

// begin starts a step. Most steps are over at once.
func (c *nemesisRunner) begin(s nemesis.Step) error {
	switch {
	case s.Await != nil:
		c.until = c.record.environment.Now() + int64(s.For)
		c.await(c.at)
	case s.Do == nemesis.Quiesce:
		c.clients.quiet, c.clients.only = true, ""
	case s.Do == nemesis.Resume:
		c.awaitNext()
		c.clients.quiet, c.clients.only = s.Target != "", s.Target
	case s.Do == nemesis.Wait, s.Do == nemesis.Elected:
		c.until = c.record.environment.Now() + int64(s.For)
		if s.Until > 0 {
			c.until = c.record.epoch + int64(s.Until)
		}
	case s.Do == nemesis.Warm:
	case s.Do == nemesis.Go:
		c.awaitNext()
		c.pass(s.Target)
	case s.Fault():
		return c.effects.fault(c.breakpoints.resolve(s))
	case s.Repairs():
		return c.effects.repair(c.breakpoints.resolve(s))
	default:
		return nemesis.Apply(c.record.environment, s)
	}
	return nil
}

// awaitNext arms the breakpoint of the next step before a client can run past it.
func (c *nemesisRunner) awaitNext() {
	if next := c.at + 1; next < len(c.steps) && c.steps[next].Await != nil {
		c.await(next)
	}
}

// await arms the breakpoint of a step at the clients that the step names, once.
func (c *nemesisRunner) await(step int) {
	a := *c.steps[step].Await
	if c.breakpoints.next(step, a) && a.Phase == nemesis.Lost {
		c.countLosses()
	}
}

// pass lets the client with this name go on. Without a name, it lets the client at the newest
// breakpoint go on.
func (c *nemesisRunner) pass(name string) {
	if name != "" {
		c.breakpoints.pass(name)
		return
	}
	// if the next Await is already armed, arming it has released this client
	if next := c.at + 1; c.breakpoints.armed != next+1 {
		c.breakpoints.release()
	}
}

// undone returns the first step that was not done and without which the scenario proves nothing. If
// all steps were done but injected no fault and met no client, it returns the first step. Otherwise
// it returns nil. An await with a time limit may meet no client, since a lock may rightly deny the
// awaited event.
func (r *run) undone() *history.Undone {
	c := r.nemesis
	if len(c.steps) == 0 || !nemesis.MustHappen(r.plan.Nemesis) {
		return nil
	}
	at, idle := c.at, false
	if c.done() {
		if c.effects.nextID > 0 || c.anyMet {
			return nil
		}
		at, idle = 0, true
	}
	return &history.Undone{Step: at + 1, Of: len(c.steps), What: c.steps[at].Words(), Idle: idle}
}
