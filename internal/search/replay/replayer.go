package replay

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// replayer follows the steps of a counterexample in an environment of real processes. Every client
// stops at a breakpoint whenever it is about to acquire, to release or to send a command, and its
// commands and replies stop at the relay; the replayer lets the one go on whose turn it is. Between
// two steps it waits until that client only waits (cluster.Environment.Rest), so that no client
// acts after its turn.
type replayer struct {
	ctx         context.Context
	c           *counterexample.Counterexample
	environment *cluster.Environment
	net         *relay
	journal     *harness.Journal
	match       *matcher
	clock       *clock
	actors      []*actor
	hurt        []nemesis.Step // faults of links, until they are undone
	turns       []turn
	now         int  // number of the present turn
	free, over  bool // the steps are over, and clients go on by themselves; or end
}

// actor is the replayer's knowledge of a client.
type actor struct {
	stands   []workloads.BreakpointHit
	dialling []workloads.BreakpointHit // where it is about to connect
	passed   int                       // how often it was told to go on
	marks    []counterexample.Step     // that it has come to, not yet in turn
	// numbers in its trace of commands that have left and are not yet in turn
	sent          []int
	commands      map[int]*sentCommand // by their numbers in the record
	answers       map[int]history.Command
	hurry         time.Duration // by which its sleeps are shorter
	paused        bool
	stopped       bool // it has been paused, so that its gaps are no surprise
	gone          bool
	working       bool           // on a cycle
	flying        int            // commands that it waits for the replies to
	subscriptions int            // in the record so far
	later         []func() error // wait until it runs again
}

// between reports whether a client that only waits does not wait for a reply.
func (a *actor) between() bool { return a.gone || a.flying == 0 }

// every is the number of the breakpoint at which all clients stop.
const every = 1

func newReplayer(ctx context.Context, c *counterexample.Counterexample, epoch int64,
	w *cluster.Environment, net *relay, j *harness.Journal) *replayer {
	r := &replayer{ctx: ctx, c: c, environment: w, net: net, journal: j,
		match: newMatcher(c.Plan.TTL.D()), turns: turns(c.Steps)}
	r.clock = newClock(c, r.turns, epoch)
	for range c.Plan.Clients {
		r.actors = append(r.actors, &actor{commands: map[int]*sentCommand{},
			answers: map[int]history.Command{}})
	}
	return r
}

// divergence is the error for a step in whose place something else happened.
type divergence struct {
	step          int // from 0
	expected, got string
}

func (d *divergence) Error() string {
	return fmt.Sprintf("diverged at step %d: expected %s, got %s", d.step+1, d.expected, d.got)
}

// all follows all steps.
func (r *replayer) all() error {
	if err := r.ready(); err != nil {
		return err
	}
	r.clock.begin(r.environment.Now())
	for i, t := range r.turns {
		r.now = i
		r.dial()
		if err := r.until(r.clock.due(i)); err != nil {
			return err
		}
		begun := r.environment.Now()
		r.match.late = max(0, time.Duration(begun-r.clock.recorded(i)))
		if err := r.do(t.Step); err != nil {
			r.clock.failed(i, begun)
			return err
		}
		if t.Kind != counterexample.Exec { // when it was executed is known better
			r.clock.done(i, r.environment.Now())
		}
	}
	return r.linger()
}

// linger lets the clients of a lock that stays taken go on by themselves after the last step, for
// as long as the machine stalled: that time does not count as one in which they were refused. Then
// they give up, as at the end of any run: of a call that is still open it is unknown what it did.
func (r *replayer) linger() error {
	switch w := r.c.Verdict.Witness; r.c.Verdict.Property {
	case checker.Deadlock, checker.Outage, checker.Orphan:
	case checker.MutualExclusion, checker.LeaseExclusion:
		if w == nil || len(w.Holds) != 2 {
			return nil
		}
		return r.until(r.clock.zero + min(w.Holds[0].To, w.Holds[1].To)) // they stay inside
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

// stop tells each client to give up where it waits between two tries: a command that it could not
// send any more, or did not hear of, would make the outcome of its call unknown.
func (r *replayer) stop() error {
	r.over = true
	told := map[int]bool{}
	limit := r.environment.Now() + int64(patience)
	for len(told) < len(r.actors) {
		for i, a := range r.actors {
			if told[i] {
				continue
			}
			if err := r.rest(i); err != nil {
				return err
			}
			if a.between() || r.environment.Now() > limit {
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

// longestLinger bounds the time after the last step: a machine that stalls for so long is too slow.
const longestLinger = 10 * time.Second

// ready lets every client stand where it is about to acquire.
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

// do carries out a step and compares what happens.
func (r *replayer) do(s counterexample.Step) error {
	if s.Kind == counterexample.Fault {
		return r.fault(*s.Fault)
	}
	a := r.actors[s.Client]
	switch s.Kind {
	case counterexample.Exec:
		return r.execute(s)
	case counterexample.Recv:
		if err := r.hand(s); err != nil {
			return err
		}
		return r.orLater(a, func() error { return r.received(s) })
	case counterexample.Send:
		return r.orLater(a, func() error { return r.send(s) })
	}
	return r.orLater(a, func() error { return r.mark(s) })
}

// orLater does something now, or when the client runs again.
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

// diverged is the error for the present step.
func (r *replayer) diverged(s counterexample.Step, got string, args ...any) error {
	return &divergence{r.turns[r.now].number, s.Action(), fmt.Sprintf(got, args...)}
}

// patience is how long the replayer waits for an event that should come at once.
const patience = 2 * time.Second

// tick is how often the replayer looks at the relay, which reports nothing.
const tick = 5 * time.Millisecond

// await lets the environment go on until done, for at most patience, and reports whether it was.
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

// until lets the environment go on until a time.
func (r *replayer) until(at int64) error {
	for r.environment.Now() < at {
		if err := r.next(at); err != nil {
			return err
		}
	}
	return r.ctx.Err()
}

// next takes the next report, if one comes in time.
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

// take records a report, and remembers it for the steps.
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

// pass lets a client go on that stands at the breakpoint.
func (r *replayer) pass(client int, h workloads.BreakpointHit) {
	a := r.actors[client]
	a.passed++
	a.stands = slices.DeleteFunc(a.stands, func(x workloads.BreakpointHit) bool {
		return x.Stop == h.Stop
	})
	r.environment.Send(client, workloads.Order{Do: workloads.DoGo,
		Breakpoint: &workloads.Breakpoint{ID: every, Stop: h.Stop}})
}

// disturbed reports whether a fault is on a client's links to a node.
func (r *replayer) disturbed(client int, node string) bool {
	return slices.ContainsFunc(r.hurt, func(s nemesis.Step) bool {
		first, _ := path.Match(s.Target, fmt.Sprintf("c%d>%s", client, node))
		second, _ := path.Match(s.Target, fmt.Sprintf("c%d+>%s", client, node))
		return first || second
	})
}
