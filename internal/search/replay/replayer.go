package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/workloads"
)

// replayer follows the steps of a counterexample in an environment of real processes. Every client
// stops at a breakpoint whenever it is about to acquire, to release or to send a command. Its
// commands and replies stop at the relay. The replayer releases the one whose turn it is. Between
// two steps it waits until that client is idle (cluster.Environment.Rest), so that no client acts
// out of turn.
type replayer struct {
	ctx         context.Context
	c           *counterexample.Counterexample
	environment *cluster.Environment
	net         *relay
	journal     *harness.Journal
	match       *matcher
	clock       *clock
	actors      []*actor
	hurt        disturbances
	course
	free, over bool // free: the steps are over and clients act on their own; over: they must stop
}

// actor is what the replayer knows about a client.
type actor struct {
	stands   []workloads.BreakpointHit
	dialling []workloads.BreakpointHit // hits before it connects
	passed   int                       // how often it was told to go on
	marks    []counterexample.Step     // phases that it has reached ahead of its turn
	// trace numbers of commands that were sent ahead of their turn
	sent          []int
	commands      map[int]*sentCommand // by their numbers in the record
	answers       map[int]history.Command
	hurry         time.Duration // how much its sleeps are shortened
	paused        bool
	stopped       bool // it has been paused, so gaps are expected
	gone          bool
	working       bool           // on a cycle
	flying        int            // number of commands without a reply
	subscriptions int            // number of subscriptions in the record so far
	later         []func() error // steps that wait until it runs again
}

// idle reports whether a resting client has no reply to wait for.
func (a *actor) idle() bool { return a.gone || a.flying == 0 }

// doing describes what a client does instead.
func (a *actor) doing(client int) string {
	switch {
	case a.gone:
		return fmt.Sprintf("nothing: c%d is gone", client)
	case len(a.marks) > 0:
		return a.marks[0].Action()
	case len(a.stands) > 0:
		var all []string
		for _, h := range a.stands {
			if h.Args != nil {
				all = append(all, fmt.Sprintf("c%d sends to %s: %s", client, h.Node,
					counterexample.Render(h.Args)))
			} else {
				all = append(all, fmt.Sprintf("c%d %s %d", client, h.Phase, h.N))
			}
		}
		return strings.Join(all, " and ")
	}
	return fmt.Sprintf("nothing: c%d waits", client)
}

// every is the ID of the breakpoint at which all clients stop.
const every = 1

func newReplayer(ctx context.Context, c *counterexample.Counterexample, epoch int64,
	w *cluster.Environment, net *relay, j *harness.Journal) *replayer {
	r := &replayer{ctx: ctx, c: c, environment: w, net: net, journal: j,
		match: newMatcher(c.Plan), course: course{turns: turnsOf(c)}}
	r.clock = newClock(c, r.turns, epoch)
	for range c.Plan.Clients {
		r.actors = append(r.actors, &actor{commands: map[int]*sentCommand{},
			answers: map[int]history.Command{}})
	}
	return r
}

func (r *replayer) followAll() error {
	if err := r.ready(); err != nil {
		return err
	}
	r.clock.begin(r.environment.Now())
	for i, t := range r.turns {
		r.now = i
		r.dial()
		if err := r.waitUntil(r.clock.dueTime(i)); err != nil {
			return err
		}
		begun := r.environment.Now()
		r.match.late = max(0, time.Duration(begun-r.clock.recorded(i)))
		if err := r.do(t.Step); err != nil {
			r.clock.failed(i, begun)
			return err
		}
		if t.Kind != counterexample.Exec { // execute records the exact time
			r.clock.done(i, r.environment.Now())
		}
	}
	return r.linger()
}

// linger lets the clients continue on their own after the last step if the lock seems to stay
// taken. It takes as long as the machine stalled, because no refusal counts during a stall. Then
// they give up, as at the end of any run. The result of a call that is still open is unknown.
func (r *replayer) linger() error {
	switch w := r.c.Verdict.Witness; r.c.Verdict.Property {
	case checker.Deadlock, checker.Outage, checker.Orphan:
	case checker.MutualExclusion, checker.LeaseExclusion:
		if w == nil || len(w.Holds) != 2 {
			return nil
		}
		return r.waitUntil(r.clock.zero + min(w.Holds[0].To, w.Holds[1].To)) // they stay inside
	default:
		return nil
	}
	r.free = true
	r.net.open()
	for i, a := range r.actors {
		for _, h := range slices.Concat(a.stands, a.dialling) {
			r.pass(i, h)
		}
	}
	end := r.environment.Now()
	for r.environment.Now() < end+int64(min(r.clock.lost, longestLinger)) {
		if err := r.next(r.environment.Now() + int64(tick)); err != nil {
			return err
		}
	}
	if err := r.stop(); err != nil {
		return err
	}
	_, err := r.await(func() bool {
		return !slices.ContainsFunc(r.actors, func(a *actor) bool { return a.working && !a.gone })
	})
	return err
}

// stop tells each client to give up when it waits between two attempts. A command that it could not
// send, or whose reply it missed, would make the result of its call unknown.
func (r *replayer) stop() error {
	r.over = true
	told := map[int]bool{}
	limit := r.environment.Now() + int64(patience)
	for len(told) < len(r.actors) {
		for i, a := range r.actors {
			if told[i] {
				continue
			}
			if err := r.awaitRest(i); err != nil {
				return err
			}
			if a.idle() || r.environment.Now() > limit {
				r.environment.Send(i, workloads.Order{Do: workloads.DoStop})
				told[i] = true
			}
		}
		if err := r.next(r.environment.Now() + int64(tick)); err != nil {
			return err
		}
	}
	return nil
}

// longestLinger limits the time after the last step. A machine that stalls for longer is too slow.
const longestLinger = 10 * time.Second

// ready waits until every client is about to acquire.
func (r *replayer) ready() error {
	for i := range r.actors {
		r.environment.Send(i, workloads.Order{Do: workloads.DoArm,
			Breakpoint: &workloads.Breakpoint{ID: every, Every: true}})
		r.journal.Begin(i)
		r.actors[i].working = true
	}
	for i, a := range r.actors {
		ok, err := r.await(func() bool { return len(a.stands) > 0 })
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("client %d did not come to its breakpoint within %v", i, patience)
		}
	}
	return nil
}

// do carries out a step and compares the result with the record.
func (r *replayer) do(s counterexample.Step) error {
	if s.Kind == counterexample.Fault {
		return r.fault(*s.Fault)
	}
	a := r.actors[s.Client]
	switch s.Kind {
	case counterexample.Exec:
		return r.execute(s)
	case counterexample.Recv:
		if err := r.deliver(s); err != nil {
			return err
		}
		return r.orLater(a, func() error { return r.received(s) })
	case counterexample.Send:
		return r.orLater(a, func() error { return r.send(s) })
	}
	return r.orLater(a, func() error { return r.mark(s) })
}

// orLater calls f now, or when a paused client runs again.
func (r *replayer) orLater(a *actor, f func() error) error {
	if a.paused {
		turn := r.now
		a.later = append(a.later, func() error {
			r.now = turn
			return f()
		})
		return nil
	}
	return f()
}

// patience is how long the replayer waits for an event that should happen immediately.
const patience = 2 * time.Second

// tick is how often the replayer polls the relay.
const tick = 5 * time.Millisecond

// await runs the environment until done returns true or patience is over, and reports whether done
// returned true.
func (r *replayer) await(done func() bool) (bool, error) {
	limit := r.environment.Now() + int64(patience)
	for !done() {
		now := r.environment.Now()
		if now >= limit {
			return false, nil
		}
		if err := r.next(min(limit, now+int64(tick))); err != nil {
			return false, err
		}
	}
	return true, nil
}

// waitUntil runs the environment until a time.
func (r *replayer) waitUntil(at int64) error {
	for r.environment.Now() < at {
		if err := r.next(at); err != nil {
			return err
		}
	}
	return r.ctx.Err()
}

// next handles the next report if one arrives before the deadline.
func (r *replayer) next(deadline int64) error {
	rep, ok := r.environment.Next(r.ctx, deadline)
	if r.ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", context.Cause(r.ctx))
	}
	if !ok {
		return nil
	}
	return r.take(rep)
}

// take records a report and updates the actor of its client.
func (r *replayer) take(rep workloads.Report) error {
	if rep.Process >= 0 && rep.Process < len(r.actors) {
		r.note(r.actors[rep.Process], rep)
	}
	if e := rep.Event; e != nil && e.Type == history.Gap &&
		(rep.Process < 0 || !r.actors[rep.Process].stopped) {
		r.clock.gap(e.Gap.D())
	}
	r.dial()
	if err := r.journal.Take(rep); err != nil {
		return err
	}
	if rep.Done != nil {
		r.actors[rep.Process].working = !r.over
	}
	if rep.Done != nil && !r.over {
		r.journal.Begin(rep.Process)
	}
	return nil
}

func (r *replayer) note(a *actor, rep workloads.Report) {
	switch {
	case rep.Breakpoint != nil && r.free:
		r.pass(rep.Process, *rep.Breakpoint)
	case rep.Breakpoint != nil && rep.Breakpoint.Phase == workloads.PhaseConnect:
		a.dialling = append(a.dialling, *rep.Breakpoint)
	case rep.Breakpoint != nil:
		a.stands = append(a.stands, *rep.Breakpoint)
	case rep.Command != nil && rep.Command.Sent != 0:
		a.flying++
		a.sent = append(a.sent, rep.Command.Seq)
	case rep.Command != nil:
		a.flying--
		a.answers[rep.Command.Seq] = *rep.Command
	case rep.Exit != nil:
		a.gone = true
	case rep.Event != nil:
		if phase := counterexample.PhaseOf(*rep.Event); phase != "" {
			a.marks = append(a.marks, counterexample.Step{Kind: counterexample.Mark, Client: rep.Process,
				N: rep.Event.N, Phase: phase,
				Reply: rep.Event.Err})
		}
	}
}

// pass lets a client leave a breakpoint.
func (r *replayer) pass(client int, h workloads.BreakpointHit) {
	a := r.actors[client]
	a.passed++
	a.stands = slices.DeleteFunc(a.stands, func(x workloads.BreakpointHit) bool {
		return x.Stop == h.Stop
	})
	r.environment.Send(client, workloads.Order{Do: workloads.DoGo,
		Breakpoint: &workloads.Breakpoint{ID: every, Stop: h.Stop}})
}
