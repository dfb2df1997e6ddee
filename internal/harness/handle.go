package harness

import (
	"fmt"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// handle records a report and reacts to it.
func (r *run) handle(rep workloads.Report) error {
	switch {
	case rep.Event != nil:
		return r.event(*rep.Event)
	case rep.Command != nil:
		return r.record.command(*rep.Command)
	case rep.Breakpoint != nil:
		r.nemesis.breakpoints.came(rep.Process, *rep.Breakpoint)
	case rep.Ask != nil:
		r.environment.Send(rep.Process, r.resource.Answer(*rep.Ask))
	case rep.Done != nil:
		r.done(rep.Process, *rep.Done)
	case rep.Ready != nil:
		r.clients.all[rep.Process].late = false
	case rep.Failed != "" && rep.Process >= 0 && r.clients.all[rep.Process].late:
		return r.stayAway(rep.Process, rep.Failed)
	case rep.Failed != "":
		return fmt.Errorf("client %d: %s", rep.Process, rep.Failed)
	case rep.Exit != nil:
		return r.exit(rep.Process, *rep.Exit)
	}
	return nil
}

// event converts the stamps of an event to the run's time and records it.
func (r *run) event(e history.Event) error {
	e.T -= r.record.epoch
	if g := e.Grant; g != nil {
		convert(g, r.record.epoch)
	}
	if e.Type == history.Fault {
		r.nemesis.effects.adopt(&e)
	}
	if err := r.record.add(e); err != nil {
		return fmt.Errorf("client %d broke the protocol: %w", e.Process, err)
	}
	if e.Process >= 0 {
		c := r.clients.all[e.Process]
		c.hold.learn(e, r.record.now())
		if e.F == history.Acquire {
			c.waiting, c.key = e.Type == history.Invoke, e.KeyOf()
			if c.waiting {
				c.called = e.T
			}
		}
	}
	return nil
}

// convert converts the stamps of a grant, those that it has, to the time since epoch.
func convert(g *history.Grant, epoch int64) {
	for _, t := range []*int64{&g.Sent, &g.ValidUntil} {
		if *t != 0 {
			*t -= epoch
		}
	}
}

// done draws the next cycle. The client pauses after an unknown outcome, and after it was granted
// the lock twice in a row, so that another client can be faster.
func (r *run) done(process int, d workloads.Done) {
	after := r.environment.Now()
	if d.Err != "" {
		after += int64(r.plan.Backoff)
	}
	if r.clients.all[process].again {
		after += int64(r.plan.Rest)
	}
	r.clients.schedule(process, after)
}

// stayAway records that a client could not start. A lock may refuse to start in an outage.
func (r *run) stayAway(process int, why string) error {
	r.clients.all[process].doomed = true
	return r.exit(process, workloads.Exit{T: r.environment.Now(), Err: why})
}

// exit records that a process is gone. It returns an error if the process ended by itself. If a
// signal ended it, the lock did that, and exit ends the run without an error.
func (r *run) exit(process int, x workloads.Exit) error {
	e := history.Event{Type: history.Exit, Process: process, Target: x.Node, Err: x.Err,
		Signal: x.Signal, T: max(x.T-r.record.epoch, 0)} // it may have ended while the run began
	if process >= 0 {
		c := r.clients.all[process]
		if c.gone {
			return nil // it could not start
		}
		e.Planned = c.doomed
		c.gone, c.waiting = true, false
		c.hold.inside = false
	}
	if err := r.record.add(e); err != nil || e.Planned {
		return err
	}
	if x.Signal != "" {
		r.limit = e.T + r.record.epoch // later events say nothing of a lock that every client has
		return nil
	}
	if x.Node != "" {
		return fmt.Errorf("node %s: %s", x.Node, x.Err)
	}
	return fmt.Errorf("client %d ended by itself: %s", process, x.Err)
}
