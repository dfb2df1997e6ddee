package harness

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// conductor carries out the steps of a scenario in order, and waits where a step says so.
type nemesisRunner struct {
	run    *run
	steps  []nemesis.Step
	at     int
	begun  bool            // the current step has been begun and is waited for
	armed  int             // 1 + number of the step whose gate is armed already
	until  int64           // environment's clock at which a Wait is over
	heard  int             // promotions that an Elected has waited for
	losses []int           // leases that each client had lost when the current Await began
	gate   int             // number of the latest gate; each Await gets its own
	struck *standing       // who stands at the gate
	victim standing        // who stood at the last gate
	named  map[string]post // who was given a name
	faults []history.Event // begun, with an effect that lasts
	nextID int
}

// standing is a client that waits at a gate.
type standing struct{ process, key int }

// post is a client with a name, and the gate that it stands at; 0: it has gone on.
type post struct {
	standing
	gate int
}

// done reports whether every step has been carried out.
func (c *nemesisRunner) done() bool { return c.at >= len(c.steps) }

// wake is when the current step may be over without any report.
func (c *nemesisRunner) wake() int64 {
	if c.done() || !c.begun || !c.timed(c.steps[c.at]) {
		return never
	}
	return c.until
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
		return c.met(*s.Await) || s.For > 0 && c.run.environment.Now() >= c.until
	case s.Do == nemesis.Quiesce:
		return !c.run.busy()
	case s.Do == nemesis.Wait:
		return c.run.environment.Now() >= c.until
	case s.Do == nemesis.Elected:
		heard := c.run.progress.promoted > c.heard
		c.heard = c.run.progress.promoted
		return heard || c.run.environment.Now() >= c.until
	case s.Do == nemesis.Warm:
		return c.run.progress.contended >= c.run.plan.Requires.Contended+margin
	}
	return true
}

// met reports whether whoever is awaited has come.
func (c *nemesisRunner) met(a nemesis.Await) bool {
	if a.Phase == nemesis.Lost {
		c.findLoser(a)
	}
	if c.struck == nil || a.Contended && c.run.waiter(*c.struck) < 0 {
		return false
	}
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

// awaitNext arms the gate of the next step before anybody can run past it.
func (c *nemesisRunner) awaitNext() {
	if next := c.at + 1; next < len(c.steps) && c.steps[next].Await != nil {
		c.await(next)
	}
}

// name remembers who stands at the gate. A client with a name stands there until a Go calls it,
// whoever is awaited meanwhile.
func (c *nemesisRunner) name(a nemesis.Await) {
	if a.As == "" {
		return
	}
	if c.named == nil {
		c.named = map[string]post{}
	}
	p := post{*c.struck, c.gate}
	if a.Noticed() {
		p.gate = 0
	}
	c.named[a.As] = p
	c.gate++ // nobody stands at this one: release leaves the client alone
	c.struck = nil
}

// pass lets the client with this name go on, or without a name whoever stands at the gate.
func (c *nemesisRunner) pass(name string) {
	if name == "" {
		// else the next Await's gate is armed already, and to arm it has let everybody go on
		if c.armed != c.at+2 {
			c.release()
		}
		return
	}
	if p, ok := c.named[name]; ok && p.gate > 0 {
		c.send(p.process, workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{
			ID: p.gate}})
		p.gate = 0
		c.named[name] = p
	}
}

// await arms the gate of a step at the clients that it names, once.
func (c *nemesisRunner) await(step int) {
	if c.armed == step+1 {
		return
	}
	c.armed = step + 1
	c.release()
	c.gate++
	a := c.steps[step].Await
	if a.Phase == nemesis.Lost {
		c.countLosses()
		return
	}
	order := workloads.Order{Do: workloads.DoArm, Breakpoint: &workloads.Breakpoint{
		ID: c.gate, At: a.At, Phase: a.Phase, Command: a.Command, Nth: a.Nth,
	}}
	for i := range c.run.clients {
		if c.names(a.Client, i) {
			c.send(i, order)
		}
	}
}

// names reports whether client i is meant.
func (c *nemesisRunner) names(client string, i int) bool {
	switch client {
	case "", "*":
		return true
	case nemesis.Other:
		return i != c.victim.process && !c.stands(i)
	case nemesis.Hit:
		return i == c.victim.process
	}
	if but, ok := strings.CutPrefix(client, nemesis.But); ok {
		return !c.names(but, i)
	}
	if p, ok := c.named[client]; ok {
		return i == p.process
	}
	return client == fmt.Sprintf("c%d", i)
}

// stands reports whether client i stands at a gate under a name.
func (c *nemesisRunner) stands(i int) bool {
	for _, p := range c.named {
		if p.process == i && p.gate > 0 {
			return true
		}
	}
	return false
}

// send gives an order to a client that lives.
func (c *nemesisRunner) send(i int, o workloads.Order) {
	if !c.run.clients[i].gone {
		c.run.environment.Send(i, o)
	}
}

// all gives an order to every client that is meant.
func (c *nemesisRunner) all(client string, o workloads.Order) {
	for i := range c.run.clients {
		if c.names(client, i) {
			c.send(i, o)
		}
	}
}

// hit notes who came to the gate first. The others need not stop there.
func (c *nemesisRunner) hit(process int, g workloads.BreakpointHit) {
	pass := workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{ID: g.ID}}
	if g.ID != c.gate || c.struck != nil {
		c.send(process, pass)
		return
	}
	c.victim = standing{process, g.Key}
	c.struck = &c.victim
	for i := range c.run.clients {
		if i != process {
			c.send(i, pass)
		}
	}
}

// release lets whoever stands at the gate go on, and takes the gate down.
func (c *nemesisRunner) release() {
	if c.gate > 0 {
		c.all("*", workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{ID: c.gate}})
	}
	c.struck = nil
}

// releaseAll lets everybody go on.
func (c *nemesisRunner) releaseAll() {
	for name := range c.named {
		c.pass(name)
	}
	c.release()
}

// resolve puts client numbers in the place of the moving targets and of names.
func (c *nemesisRunner) resolve(s nemesis.Step) nemesis.Step {
	who, rest, link := strings.Cut(s.Target, ">")
	if p, ok := c.named[who]; ok {
		who = fmt.Sprintf("c%d", p.process)
	}
	switch who {
	case nemesis.Hit:
		who = fmt.Sprintf("c%d", c.victim.process)
	case nemesis.Waiter:
		who = fmt.Sprintf("c%d", max(c.run.waiter(c.victim), 0))
	}
	s.Target = who
	if link {
		s.Target = who + ">" + rest
	}
	return s
}
