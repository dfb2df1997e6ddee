package harness

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// breakpoints are the places where clients stand. Each Await arms a breakpoint with a number of its
// own. The first client that comes there stops, and all others pass.
type breakpoints struct {
	clients *clients
	latest  int                  // number of the latest breakpoint
	armed   int                  // 1 + number of the step whose breakpoint is armed already
	awaited nemesis.Await        // of this step
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

// name gives the client at the latest breakpoint the name that an Await has for it. It stands there
// until a Go calls it, while other clients are awaited.
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
	b.latest++ // no client stands at this one, so that release does not let it go on
	b.stopped = nil
}

// pass lets the client with this name go on.
func (b *breakpoints) pass(name string) {
	if p, ok := b.named[name]; ok && p.breakpoint > 0 {
		b.clients.send(p.process, workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{
			ID: p.breakpoint}})
		p.breakpoint = 0
		b.named[name] = p
	}
}

// next makes a breakpoint for the Await of a step, unless that was done before, and arms it at the
// clients that it names. For a lease that is lost there is nothing to arm.
func (b *breakpoints) next(step int, a nemesis.Await) bool {
	if b.armed == step+1 {
		return false
	}
	b.armed, b.awaited = step+1, a
	b.release()
	b.latest++
	for i := range b.clients.all {
		if a.Phase != nemesis.Lost && b.means(a.Client, i) {
			b.arm(i, a)
		}
	}
	return true
}

// arm arms the latest breakpoint at a client.
func (b *breakpoints) arm(i int, a nemesis.Await) {
	b.clients.send(i, workloads.Order{Do: workloads.DoArm, Breakpoint: &workloads.Breakpoint{
		ID: b.latest, At: a.At, Phase: a.Phase, Command: a.Command, Means: a.Means, Nth: a.Nth}})
}

// passesBy reports whether a client came where another than the one that was hit is awaited, and
// shares the lock with that one. It need not wait for that one, so its coming shows nothing.
func (b *breakpoints) passesBy(a nemesis.Await, process, key int) bool {
	return a.Client == nemesis.Other && a.Phase == nemesis.Granted && key == b.hitLast.key &&
		b.clients.shares(process) && b.clients.shares(b.hitLast.process)
}

// means reports whether client i is meant by a name.
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

// stands reports whether client i stands at a breakpoint under a name.
func (b *breakpoints) stands(i int) bool {
	for _, p := range b.named {
		if p.process == i && p.breakpoint > 0 {
			return true
		}
	}
	return false
}

// sendAll gives an order to every client that is meant.
func (b *breakpoints) sendAll(client string, o workloads.Order) {
	for i := range b.clients.all {
		if b.means(client, i) {
			b.clients.send(i, o)
		}
	}
}

// came notes the client that came to the latest breakpoint first. The others need not stop there.
func (b *breakpoints) came(process int, g workloads.BreakpointHit) {
	pass := workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{ID: g.ID}}
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

// stop notes that a client stands at the latest breakpoint.
func (b *breakpoints) stop(at standing) {
	b.hitLast = at
	b.stopped = &b.hitLast
}

// release lets the client at the latest breakpoint go on, and disarms it.
func (b *breakpoints) release() {
	if b.latest > 0 {
		b.sendAll("*", workloads.Order{Do: workloads.DoGo,
			Breakpoint: &workloads.Breakpoint{ID: b.latest}})
	}
	b.stopped = nil
}

// releaseAll lets every client go on.
func (b *breakpoints) releaseAll() {
	for name := range b.named {
		b.pass(name)
	}
	b.release()
}

// resolve puts client numbers in the place of the moving targets and of names.
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

// by is the client whose breakpoint triggered what is done now: the one that stands there, or of
// several with names the one that has stood longest; else -1.
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
