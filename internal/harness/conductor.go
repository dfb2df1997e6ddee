package harness

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// conductor carries out the steps of a scenario in order, and waits where a step says so.
type conductor struct {
	run    *run
	steps  []nemesis.Step
	at     int
	begun  bool            // the current step has been begun and is waited for
	armed  int             // 1 + number of the step whose gate is armed already
	until  int64           // world's clock at which a Wait is over
	gate   int             // number of the latest gate; each Await gets its own
	struck *standing       // who stands at the gate
	victim standing        // who stood at the last gate
	faults []history.Event // begun, with an effect that lasts
	nextID int
}

// standing is a client that waits at a gate.
type standing struct{ process, key int }

// done reports whether every step has been carried out.
func (c *conductor) done() bool { return c.at >= len(c.steps) }

// wake is when the current step may be over without any report.
func (c *conductor) wake() int64 {
	if c.done() || !c.begun || c.steps[c.at].Do != nemesis.Wait {
		return never
	}
	return c.until
}

// advance carries out steps until one must be waited for.
func (c *conductor) advance() error {
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
	}
	return nil
}

// over reports whether what a step waits for has come.
func (c *conductor) over(s nemesis.Step) bool {
	switch {
	case s.Await != nil:
		return c.struck != nil && (!s.Await.Contended || c.run.waiter(*c.struck) >= 0)
	case s.Do == nemesis.Quiesce:
		return !c.run.busy()
	case s.Do == nemesis.Wait:
		return c.run.world.Now() >= c.until
	case s.Do == nemesis.Warm:
		return c.run.progress.contended >= c.run.plan.Requires.Contended
	}
	return true
}

// begin starts a step; most are over at once.
func (c *conductor) begin(s nemesis.Step) error {
	switch {
	case s.Await != nil:
		c.await(c.at)
	case s.Do == nemesis.Quiesce:
		c.run.quiet = true
	case s.Do == nemesis.Resume:
		if next := c.at + 1; next < len(c.steps) && c.steps[next].Await != nil {
			c.await(next) // before anybody can run past it
		}
		c.run.quiet = false
	case s.Do == nemesis.Wait:
		c.until = c.run.world.Now() + int64(s.For)
	case s.Do == nemesis.Warm:
	case s.Do == nemesis.Go:
		c.release()
	case s.Fault():
		return c.fault(c.resolve(s))
	case s.Repairs():
		return c.repair(c.resolve(s))
	default:
		return nemesis.Apply(c.run.world, s)
	}
	return nil
}

// await arms the gate of a step at the clients that it names, once.
func (c *conductor) await(step int) {
	if c.armed == step+1 {
		return
	}
	c.armed = step + 1
	c.release()
	c.gate++
	a := c.steps[step].Await
	order := workloads.Order{Do: workloads.DoArm, Gate: &workloads.Gate{
		ID: c.gate, At: a.At, Phase: a.Phase, Command: a.Command, Nth: a.Nth,
	}}
	for i := range c.run.clients {
		if c.names(a.Client, i) {
			c.send(i, order)
		}
	}
}

// names reports whether client i is meant.
func (c *conductor) names(client string, i int) bool {
	switch client {
	case "", "*":
		return true
	case nemesis.Other:
		return i != c.victim.process
	case nemesis.Struck:
		return i == c.victim.process
	}
	return client == fmt.Sprintf("c%d", i)
}

// send gives an order to a client that lives.
func (c *conductor) send(i int, o workloads.Order) {
	if !c.run.clients[i].gone {
		c.run.world.Send(i, o)
	}
}

// all gives an order to every client that is meant.
func (c *conductor) all(client string, o workloads.Order) {
	for i := range c.run.clients {
		if c.names(client, i) {
			c.send(i, o)
		}
	}
}

// hit notes who came to the gate first. The others need not stop there.
func (c *conductor) hit(process int, g workloads.GateHit) {
	pass := workloads.Order{Do: workloads.DoGo, Gate: &workloads.Gate{ID: g.ID}}
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
func (c *conductor) release() {
	if c.gate > 0 {
		c.all("*", workloads.Order{Do: workloads.DoGo, Gate: &workloads.Gate{ID: c.gate}})
	}
	c.struck = nil
}

// resolve puts names in the place of the moving targets.
func (c *conductor) resolve(s nemesis.Step) nemesis.Step {
	who, rest, link := strings.Cut(s.Target, ">")
	switch who {
	case nemesis.Struck:
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
