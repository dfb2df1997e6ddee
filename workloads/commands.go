package workloads

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// commands records the commands of a client and stops them at breakpoints. Each command goes
// through Before, Sent and Replied: the client's own hook calls them, or a tap before a client
// without one.
type commands struct {
	*reporter
	*debugger
	n       atomic.Int64           // acquisition that the process is busy with
	hold    atomic.Pointer[Order]  // cycle of the client
	unsure  atomic.Bool            // a command of this call had an unknown outcome
	opening atomic.Bool            // no command of this acquire has been sent
	fault   atomic.Pointer[string] // strikes the next command, or nil
}

// call starts the record of a call of acquisition n.
func (c *commands) call(n int) {
	c.n.Store(int64(n))
	c.unsure.Store(false)
}

// BeforeSend stops at a breakpoint for a command that is about to leave for a node.
func (c *commands) BeforeSend(ctx context.Context, node string, args []string) {
	c.stopAtCommand(ctx, nemesis.Before, c.make(node, args), history.Command{})
}

// Sent records that a command leaves for a node, and returns it with its number and stamp.
func (c *commands) Sent(ctx context.Context, node string, args []string) history.Command {
	sent := c.command(c.make(node, args))
	c.meanings.sent(sent)
	c.stopAtCommand(ctx, nemesis.JustSent, sent, history.Command{})
	if c.opening.CompareAndSwap(true, false) {
		c.pass(nemesis.Sent, *c.hold.Load())
	}
	return sent
}

// make returns the record of a command without number and stamp.
func (c *commands) make(node string, args []string) history.Command {
	return history.Command{Process: c.process, N: int(c.n.Load()), Node: node, Args: args}
}

// Replied records the end of a command that Sent returned: its reply, or the error and the reason
// why there is none. Then it stops at a breakpoint. If unsure, or if a script ended with the error
// of one of its commands, the effect is unknown.
func (c *commands) Replied(ctx context.Context, sent, done history.Command, unsure bool) {
	done.Process, done.Seq, done.N = sent.Process, sent.Seq, sent.N
	done.Recv = int64(c.env.Stamp())
	if unsure || history.ErrorAfterWrite(sent.Args, done.Reply) {
		c.unsure.Store(true)
	}
	c.report(Report{Command: &done})
	c.meanings.replied(sent, done)
	c.stopAtCommand(ctx, nemesis.After, sent, done)
	c.meanings.forget(sent)
}

// connecting stops a client that is about to connect at a breakpoint.
func (c *commands) connecting() { c.pass(PhaseConnect, Order{N: int(c.n.Load())}) }

// debugger stops a client at the breakpoints of its phases and commands, and reports each stop.
type debugger struct {
	reporter    *reporter
	life        context.Context // of the client
	breakpoints breakpoints
	meanings    meanings
}

// arm adds a breakpoint. If it has both a command and a meaning, our own locks use the command and
// a Remote uses the meaning.
func (d *debugger) arm(b Breakpoint, remote bool) error {
	if b.Means != "" && b.Command != "" {
		if remote {
			b.Command = ""
		} else {
			b.Means = ""
		}
	}
	if b.Means != "" {
		d.meanings.learn()
	}
	return d.breakpoints.arm(b)
}

// pass stops at the breakpoints of a phase.
func (d *debugger) pass(phase string, o Order) { d.passWithin(d.life, phase, o) }

// passWithin is pass until ctx ends.
func (d *debugger) passWithin(ctx context.Context, phase string, o Order) {
	d.breakpoints.phase(ctx, phase, func(id, stop int) {
		hit := BreakpointHit{ID: id, N: o.N, Key: o.Key}
		if stop > 0 {
			hit.Stop, hit.Phase = stop, phase
		}
		d.reporter.hit(hit)
	})
}

// stopAtCommand stops at a breakpoint for a command, and records for how long the client stood
// there. At After, done is the end of the command.
func (d *debugger) stopAtCommand(ctx context.Context, at string, c, done history.Command) {
	if d.breakpoints.none() {
		return
	}
	line := sync.OnceValue(func() string { return strings.ToLower(c.String()) })
	is := func(meaning string) bool { return d.meanings.is(meaning, at, c, done) }
	from := d.reporter.env.Stamp()
	if d.breakpoints.command(ctx, at, line, is, func(id, stop int) {
		hit := BreakpointHit{ID: id, N: c.N, Command: c.String()}
		if stop > 0 {
			hit.Stop, hit.Node, hit.Args = stop, c.Node, c.Args
		}
		d.reporter.hit(hit)
	}) && d.life.Err() == nil {
		d.reporter.stood(from)
	}
}
