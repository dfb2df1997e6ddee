package harness

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// breakpoints are the places where clients stop. Each Await arms a breakpoint with a number of its
// own. The first client that reaches it stops, and all others pass.
type breakpoints struct {
	clients *clients
	latest  int                  // number of the newest breakpoint
	armed   int                  // 1 + number of the step whose breakpoint is armed already
	awaited nemesis.Await        // of this step
	stopped *standing            // the unnamed client at the newest breakpoint, or nil
	hitLast standing             // the client that reached a breakpoint last
	named   map[string]namedStop // clients that an Await gave a name
}

// standing is a client that waits at a breakpoint, and the lock that it wants.
type standing struct{ process, key int }

// namedStop is a client with a name, and the breakpoint where it waits, or 0 after it has gone on.
type namedStop struct {
	standing
	breakpoint int
}

// name gives the client at the newest breakpoint the name that an Await has for it. The client
// waits there until a Go with this name, while the scenario awaits other clients.
func (b *breakpoints) name(a nemesis.Await) {
	if a.As == "" {
		return
	}
	if b.named == nil {
		b.named = map[string]namedStop{}
	}
	p := namedStop{*b.stopped, b.latest}
	if a.Noticed() {
		p.breakpoint = 0
	}
	b.named[a.As] = p
	b.latest++ // a breakpoint without a client, so that release leaves the named one waiting
	b.stopped = nil
}

// pass lets the client with this name go on.
func (b *breakpoints) pass(name string) {
	if p, ok := b.named[name]; ok && p.breakpoint > 0 {
		b.clients.send(p.process, goFrom(p.breakpoint))
		p.breakpoint = 0
		b.named[name] = p
	}
}

// goFrom returns the order to go on from a breakpoint.
func goFrom(id int) workloads.Order {
	return workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{ID: id}}
}

// next makes a breakpoint for the Await of a step and arms it at the clients that the Await names.
// It returns false if the step already has one. An Await for a lost lease arms nothing. The client
// at the breakpoint before goes on afterwards, or it might pass the new one before it is armed.
func (b *breakpoints) next(step int, a nemesis.Await) bool {
	if b.armed == step+1 {
		return false
	}
	b.armed, b.awaited = step+1, a
	before := b.latest
	b.latest++
	for i := range b.clients.all {
		if a.Phase != nemesis.Lost && b.means(a.Client, i) {
			b.arm(i, a)
		}
	}
	b.open(before)
	return true
}

// arm arms the latest breakpoint at a client.
func (b *breakpoints) arm(i int, a nemesis.Await) {
	b.clients.send(i, workloads.Order{Do: workloads.DoArm, Breakpoint: &workloads.Breakpoint{
		ID: b.latest, At: a.At, Phase: a.Phase, Command: a.Command, Means: a.Means, Nth: a.Nth}})
}

// passesBy reports whether a client shares the lock with the one that was hit, and the scenario
// awaits another one that is granted the lock. Two sharers need not wait for each other, so such a
// grant shows nothing.
func (b *breakpoints) passesBy(a nemesis.Await, process, key int) bool {
	return a.Client == nemesis.Other && a.Phase == nemesis.Granted && key == b.hitLast.key &&
		b.clients.shares(process) && b.clients.shares(b.hitLast.process)
}

// means reports whether a name in a scenario refers to client i.
func (b *breakpoints) means(client string, i int) bool {
	switch client {
	case "", "*":
		return true
	case nemesis.Other:
		return i != b.hitLast.process && !b.stands(i)
	case nemesis.Hit:
		return i == b.hitLast.process
	}
	if but, ok := strings.CutPrefix(client, nemesis.But); ok {
		return !b.means(but, i)
	}
	if p, ok := b.named[client]; ok {
		return i == p.process
	}
	return client == fmt.Sprintf("c%d", i)
}

// stands reports whether client i waits at a breakpoint under a name.
func (b *breakpoints) stands(i int) bool {
	for _, p := range b.named {
		if p.process == i && p.breakpoint > 0 {
			return true
		}
	}
	return false
}

// sendAll gives an order to every client that the name refers to.
func (b *breakpoints) sendAll(client string, o workloads.Order) {
	for i := range b.clients.all {
		if b.means(client, i) {
			b.clients.send(i, o)
		}
	}
}

// came notes the first client that reaches the newest breakpoint, and lets the others pass.
func (b *breakpoints) came(process int, g workloads.BreakpointHit) {
	pass := goFrom(g.ID)
	if g.ID != b.latest || b.stopped != nil {
		b.clients.send(process, pass)
		return
	}
	if a := b.awaited; b.passesBy(a, process, g.Key) {
		b.clients.send(process, pass)
		b.arm(process, a) // it may come for an exclusive hold next
		return
	}
	b.stop(standing{process, g.Key})
	for i := range b.clients.all {
		if i != process {
			b.clients.send(i, pass)
		}
	}
}

// stop notes that a client waits at the newest breakpoint.
func (b *breakpoints) stop(at standing) {
	b.hitLast = at
	b.stopped = &b.hitLast
}

// release lets the client at the newest breakpoint go on, and disarms the breakpoint.
func (b *breakpoints) release() { b.open(b.latest) }

// open lets the client at a breakpoint go on, and disarms the breakpoint.
func (b *breakpoints) open(breakpoint int) {
	if breakpoint > 0 {
		b.sendAll("*", goFrom(breakpoint))
	}
	b.stopped = nil
}

func (b *breakpoints) releaseAll() {
	for name := range b.named {
		b.pass(name)
	}
	b.release()
}

// resolve replaces names and moving targets, such as "the client that was hit", by client numbers.
func (b *breakpoints) resolve(s nemesis.Step) nemesis.Step {
	who, rest, link := strings.Cut(s.Target, ">")
	if p, ok := b.named[who]; ok {
		who = fmt.Sprintf("c%d", p.process)
	}
	switch who {
	case nemesis.Hit:
		who = fmt.Sprintf("c%d", b.hitLast.process)
	case nemesis.Waiter:
		who = fmt.Sprintf("c%d", max(b.clients.waiter(b.hitLast), 0))
	}
	s.Target = who
	if link {
		s.Target = who + ">" + rest
	}
	return s
}

// by returns the client whose breakpoint triggered the current step: the client at the newest
// breakpoint, otherwise the named client that has waited longest, otherwise -1.
func (b *breakpoints) by() int {
	if b.stopped != nil {
		return b.stopped.process
	}
	first := namedStop{standing: standing{process: -1}}
	for _, p := range b.named {
		if p.breakpoint > 0 && (first.breakpoint == 0 || p.breakpoint < first.breakpoint) {
			first = p
		}
	}
	return first.process
}
