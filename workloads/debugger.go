package workloads

import (
	"context"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

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
	line := strings.ToLower(c.String())
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
