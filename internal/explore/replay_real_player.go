package explore

import (
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// player follows the steps of a counterexample in an environment of real processes. Every client
// stands at the gate for everybody whenever it is about to acquire, to release or to send a
// command, and its commands and replies stand at the relay; the player calls whose turn it is.
// Between two steps it waits until the client that it has called has nothing to do but wait
// (cluster.Environment.Idle), so that nobody acts later than its turn.
type player struct {
	ctx         context.Context
	c           *Counterexample
	environment *cluster.Environment
	net         *relay
	journal     *harness.Journal
	match       *matcher
	clock       *clock
	actors      []*actor
	hurt        []nemesis.Step // what was done to links and not undone
	turns       []turn
	now         int // number of the present turn
}

// actor is what the player knows of a client.
type actor struct {
	stands   []workloads.BreakpointHit
	dialling []workloads.BreakpointHit // where it is about to connect
	passed   int                       // how often it was told to go on
	marks    []Step                    // that it has come to, not yet in turn
	// numbers in its trace of commands that have left and are not yet in turn
	sent     []int
	commands map[int]*sentCommand // by their numbers in the record
	answers  map[int]history.Command
	hurry    time.Duration // by which its sleeps are shorter
	paused   bool
	stopped  bool // it has been paused, so that its gaps are no surprise
	gone     bool
	later    []func() error // what must wait until it runs again
}

// everybody is the number of the gate that all stand at.
const everybody = 1

func newPlayer(ctx context.Context, c *Counterexample, epoch int64, w *cluster.Environment,
	net *relay,
	j *harness.Journal) *player {
	p := &player{ctx: ctx, c: c, environment: w, net: net, journal: j,
		match: newMatcher(c.Plan.TTL.D()),
		turns: turns(c.Steps)}
	p.clock = newClock(c.Plan, p.turns, epoch)
	for range c.Plan.Clients {
		p.actors = append(p.actors, &actor{commands: map[int]*sentCommand{},
			answers: map[int]history.Command{}})
	}
	return p
}

// divergence is what happened instead of a step.
type divergence struct {
	step          int // from 0
	expected, got string
}

func (d *divergence) Error() string {
	return fmt.Sprintf("diverged at step %d: expected %s, got %s", d.step+1, d.expected, d.got)
}

// all follows all steps.
func (p *player) all() error {
	if err := p.ready(); err != nil {
		return err
	}
	p.clock.begin(p.environment.Now())
	for i, t := range p.turns {
		p.now = i
		p.dial()
		if err := p.until(p.clock.due(i)); err != nil {
			return err
		}
		begun := p.environment.Now()
		if err := p.do(t.Step); err != nil {
			p.clock.failed(i, begun)
			return err
		}
		if t.Kind != Exec { // when it was executed is known better
			p.clock.done(i, p.environment.Now())
		}
	}
	return nil
}

// ready lets every client stand where it is about to acquire.
func (p *player) ready() error {
	for i := range p.actors {
		p.environment.Send(i, workloads.Order{Do: workloads.DoArm, Breakpoint: &workloads.Breakpoint{
			ID:    everybody,
			Every: true}})
		p.journal.Begin(i)
	}
	for i, a := range p.actors {
		ok, err := p.await(func() bool { return len(a.stands) > 0 })
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("client %d did not come to the gate within %v", i, patience)
		}
	}
	return nil
}

// do carries out a step and compares what comes of it.
func (p *player) do(s Step) error {
	if s.Kind == Fault {
		return p.fault(*s.Fault)
	}
	a := p.actors[s.Client]
	switch s.Kind {
	case Exec:
		return p.execute(s)
	case Recv:
		if err := p.hand(s); err != nil {
			return err
		}
		return p.orLater(a, func() error { return p.received(s) })
	case Send:
		return p.orLater(a, func() error { return p.send(s) })
	}
	return p.orLater(a, func() error { return p.mark(s) })
}

// orLater does something now, or when the client runs again.
func (p *player) orLater(a *actor, f func() error) error {
	if a.paused {
		turn := p.now
		a.later = append(a.later, func() error {
			p.now = turn
			return f()
		})
		return nil
	}
	return f()
}

// diverged is the error for the present step.
func (p *player) diverged(s Step, got string, args ...any) error {
	return &divergence{p.turns[p.now].number, describe(s), fmt.Sprintf(got, args...)}
}

// patience is how long is waited for what should come at once.
const patience = 2 * time.Second

// tick is after how long is looked again at what nobody reports.
const tick = 5 * time.Millisecond

// await lets the environment go on until done, for at most patience, and reports whether it was.
func (p *player) await(done func() bool) (bool, error) {
	limit := p.environment.Now() + int64(patience)
	for !done() {
		now := p.environment.Now()
		if now >= limit {
			return false, nil
		}
		if err := p.next(min(limit, now+int64(tick))); err != nil {
			return false, err
		}
	}
	return true, nil
}

// until lets the environment go on until a time.
func (p *player) until(at int64) error {
	for p.environment.Now() < at {
		if err := p.next(at); err != nil {
			return err
		}
	}
	return p.ctx.Err()
}

// next takes the next report, if one comes in time.
func (p *player) next(deadline int64) error {
	rep, ok := p.environment.Next(p.ctx, deadline)
	if p.ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", context.Cause(p.ctx))
	}
	if !ok {
		return nil
	}
	return p.take(rep)
}

// take records a report and remembers what a step may ask for.
func (p *player) take(rep workloads.Report) error {
	if rep.Process >= 0 && rep.Process < len(p.actors) {
		p.note(p.actors[rep.Process], rep)
	}
	if e := rep.Event; e != nil && e.Type == history.Gap &&
		(rep.Process < 0 || !p.actors[rep.Process].stopped) {
		p.clock.gap(e.Gap.D())
	}
	p.dial()
	if err := p.journal.Take(rep); err != nil {
		return err
	}
	if rep.Done != nil {
		p.journal.Begin(rep.Process)
	}
	return nil
}

func (p *player) note(a *actor, rep workloads.Report) {
	switch {
	case rep.Breakpoint != nil && rep.Breakpoint.Phase == workloads.PhaseConnect:
		a.dialling = append(a.dialling, *rep.Breakpoint)
	case rep.Breakpoint != nil:
		a.stands = append(a.stands, *rep.Breakpoint)
	case rep.Command != nil && rep.Command.Sent != 0:
		a.sent = append(a.sent, rep.Command.Seq)
	case rep.Command != nil:
		a.answers[rep.Command.Seq] = *rep.Command
	case rep.Exit != nil:
		a.gone = true
	case rep.Event != nil:
		if phase := markOf(*rep.Event); phase != "" {
			a.marks = append(a.marks, Step{Kind: Mark, Client: rep.Process, N: rep.Event.N, Phase: phase,
				Reply: rep.Event.Err})
		}
	}
}

// pass lets a client go on that stands at the gate.
func (p *player) pass(client int, h workloads.BreakpointHit) {
	a := p.actors[client]
	a.passed++
	a.stands = slices.DeleteFunc(a.stands, func(x workloads.BreakpointHit) bool {
		return x.Stop == h.Stop
	})
	p.environment.Send(client, workloads.Order{Do: workloads.DoGo, Breakpoint: &workloads.Breakpoint{
		ID:   everybody,
		Stop: h.Stop}})
}

// disturbed reports whether something was done to a client's ways to a node.
func (p *player) disturbed(client int, node string) bool {
	return slices.ContainsFunc(p.hurt, func(s nemesis.Step) bool {
		first, _ := path.Match(s.Target, fmt.Sprintf("c%d>%s", client, node))
		second, _ := path.Match(s.Target, fmt.Sprintf("c%d+>%s", client, node))
		return first || second
	})
}
