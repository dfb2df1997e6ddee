package workloads

import (
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// reporter stamps the reports of one client and passes them on. A stamp and its report are one
// step, so that reports come in the order of time. It is safe for concurrent use.
type reporter struct {
	out     func(Report)
	env     *Env
	process int

	mu  sync.Mutex
	seq int // of the last command
}

// event reports e. It stamps e unless another process did. It never changes such a stamp, even if
// an event with a later stamp was reported before.
func (r *reporter) event(e history.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.T == 0 {
		e.T = int64(r.env.Stamp())
	}
	e.Process = r.process
	r.out(Report{Event: &e})
}

// renumber makes the next command the first.
func (r *reporter) renumber() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq = 0
}

// command numbers, stamps and reports a command that is about to leave.
func (r *reporter) command(c history.Command) history.Command {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	c.Seq, c.Sent = r.seq, int64(r.env.Stamp())
	r.out(Report{Command: &c})
	return c
}

// hit reports that the client stopped at a breakpoint.
func (r *reporter) hit(h BreakpointHit) {
	h.T = int64(r.env.Stamp())
	r.report(Report{Breakpoint: &h})
}

func (r *reporter) report(x Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out(x)
}

// stood records that the client stood at a breakpoint from a stamp until now.
func (r *reporter) stood(from time.Duration) {
	if d := r.env.Stamp() - from; d > gapLimit {
		r.event(history.Event{Type: history.Gap, Gap: history.Duration(d), Planned: true})
	}
}

// Gap records that the process of a Remote did not run for d until the stamp. Any goroutine may
// call it.
func (r *reporter) Gap(at int64, d time.Duration) {
	r.event(history.Event{Type: history.Gap, T: at, Gap: history.Duration(d)})
}
