package harness

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// breakpoints is where clients stand. Each Await arms a breakpoint with a number of its own; the
// first client that comes there stops, and all others pass.
type breakpoints struct {
	latest  int                  // number of the latest breakpoint
	armed   int                  // 1 + number of the step whose breakpoint is armed already
	stopped *standing            // the client at the latest breakpoint; nil: none, or it has a name
	hitLast standing             // the client that came to a breakpoint last
	named   map[string]namedStop // clients that an Await gave a name
}

// standing is a client that waits at a breakpoint, and the lock that it wants.
type standing struct{ process, key int }

// namedStop is a client with a name, and the breakpoint where it stands; 0: it has gone on.
type namedStop struct {
	standing
	breakpoint int
}

// awaitNext arms the breakpoint of the next step before a client can run past it.
func (c *nemesisRunner) awaitNext() {
	if next := c.at + 1; next < len(c.steps) && c.steps[next].Await != nil {
		c.await(next)
	}
}

// name gives the client at the latest breakpoint the name that an Await has for it. It stands there
// until a Go calls it, while other clients are awaited.
func (c *nemesisRunner) name(a nemesis.Await) {
	if a.As == "" {
		return
	}
	if c.named == nil {
		c.named = map[string]namedStop{}
	}
	p := namedStop{*c.stopped, c.latest}
	if a.Noticed() {
		p.breakpoint = 0
	}
	c.named[a.As] = p
	c.latest++ // no client stands at this one, so that release does not let it go on
	c.stopped = nil
}

// pass lets the client with this name go on, or without a name the one at the latest breakpoint.
func (c *nemesisRunner) pass(name string) {
	if name == "" {
		// a next Await that is armed already has released the client before it
		if next := c.at + 1; c.armed != next+1 {
			c.release()
		}
		return
	}
	if p, ok := c.named[name]; ok && p.breakpoint > 0 {
		c.send(p.process, workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{
			ID: p.breakpoint}})
		p.breakpoint = 0
		c.named[name] = p
	}
}

// await arms the breakpoint of a step at the clients that it names, once.
func (c *nemesisRunner) await(step int) {
	if c.armed == step+1 {
		return
	}
	c.armed = step + 1
	c.release()
	c.latest++
	a := *c.steps[step].Await
	if a.Phase == nemesis.Lost {
		c.countLosses()
		return
	}
	for i := range c.run.clients {
		if c.means(a.Client, i) {
			c.arm(i, a)
		}
	}
}

// arm arms the latest breakpoint at a client.
func (c *nemesisRunner) arm(i int, a nemesis.Await) {
	c.send(i, workloads.Order{Do: workloads.DoArm, Breakpoint: &workloads.Breakpoint{
		ID: c.latest, At: a.At, Phase: a.Phase, Command: a.Command, Means: a.Means, Nth: a.Nth}})
}

// beside reports whether a client came where another than the one that was hit is awaited, and
// shares the lock with that one: it needs nothing of it, so that its coming says nothing.
func (c *nemesisRunner) beside(a nemesis.Await, process, key int) bool {
	return a.Client == nemesis.Other && a.Phase == nemesis.Granted && key == c.hitLast.key &&
		c.run.shares(process) && c.run.shares(c.hitLast.process)
}

// means reports whether client i is meant by a name.
func (c *nemesisRunner) means(client string, i int) bool {
	switch client {
	case "", "*":
		return true
	case nemesis.Other:
		return i != c.hitLast.process && !c.stands(i)
	case nemesis.Hit:
		return i == c.hitLast.process
	}
	if but, ok := strings.CutPrefix(client, nemesis.But); ok {
		return !c.means(but, i)
	}
	if p, ok := c.named[client]; ok {
		return i == p.process
	}
	return client == fmt.Sprintf("c%d", i)
}

// stands reports whether client i stands at a breakpoint under a name.
func (c *nemesisRunner) stands(i int) bool {
	for _, p := range c.named {
		if p.process == i && p.breakpoint > 0 {
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
		if c.means(client, i) {
			c.send(i, o)
		}
	}
}

// came notes the client that came to the latest breakpoint first. The others need not stop there.
func (c *nemesisRunner) came(process int, g workloads.BreakpointHit) {
	pass := workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{ID: g.ID}}
	if g.ID != c.latest || c.stopped != nil {
		c.send(process, pass)
		return
	}
	if a := c.steps[c.armed-1].Await; a != nil && c.beside(*a, process, g.Key) {
		c.send(process, pass)
		c.arm(process, *a) // it may come for an exclusive hold next
		return
	}
	c.hitLast = standing{process, g.Key}
	c.stopped = &c.hitLast
	for i := range c.run.clients {
		if i != process {
			c.send(i, pass)
		}
	}
}

// release lets the client at the latest breakpoint go on, and disarms it.
func (c *nemesisRunner) release() {
	if c.latest > 0 {
		c.all("*", workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{ID: c.latest}})
	}
	c.stopped = nil
}

// releaseAll lets every client go on.
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
		who = fmt.Sprintf("c%d", c.hitLast.process)
	case nemesis.Waiter:
		who = fmt.Sprintf("c%d", max(c.run.waiter(c.hitLast), 0))
	}
	s.Target = who
	if link {
		s.Target = who + ">" + rest
	}
	return s
}
