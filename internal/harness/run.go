package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// Environment is where a plan runs. One goroutine calls its methods. It implements further
// interfaces of nemesis for the faults that it can inject.
type Environment interface {
	// Name is process, docker or sim.
	Name() string
	// Versions returns the versions of the servers that answered: "redis": "7.0.15".
	Versions() map[string]string
	// Now reads the clock that all stamps come from, ns.
	Now() int64
	// Next returns the next report of a client, or false when Now has passed deadline or ctx has
	// ended.
	Next(ctx context.Context, deadline int64) (workloads.Report, bool)
	// Send gives a client an order.
	Send(client int, o workloads.Order)
}

// Prefixed is an Environment that may put a prefix before every key of a run. Prefix returns "" if
// it does not.
type Prefixed interface{ Prefix() string }

// Counting is an Environment whose servers count the keys that expire or are evicted.
type Counting interface{ Counters() []history.Counters }

// Watcher judges while the run goes on.
type Watcher interface {
	// Add takes the next event and reports whether the events so far are a violation for certain.
	Add(e history.Event) bool
}

// Output says where a run writes its records, and describes their origin.
type Output struct {
	History io.Writer
	Trace   io.Writer
	Command string // reproduces the run
	Version string // of lockbench
	// the machine below the environment in one line, or "" if it does not matter
	Machine string
	Watch   func(history.Header) Watcher // may be nil
}

// Run carries out the plan on the environment and records the history. The error says why the run
// is worth nothing or less than planned: ctx ended, the environment broke, or a file could not be
// written. Events that were recorded before the error stay valid.
func Run(ctx context.Context, p Plan, w Environment, out Output) error {
	r, err := newRun(p, w, out)
	if err != nil {
		return err
	}
	err = r.loop(ctx)
	undone := r.undone() // before all clients are told to go on
	if err == nil {
		err = r.windDown(ctx)
	}
	return r.end(err, undone)
}

// newRun starts the record of a run.
func newRun(p Plan, w Environment, out Output) (r *run, err error) {
	r = &run{plan: &p, environment: w, started: time.Now(), patience: patienceOf(&p)}
	r.clients = &clients{plan: r.plan, environment: w, generator: workloads.NewGenerator(p.shape()),
		declares: p.Declares(), all: newClients(p.Clients)}
	r.progress = newProgress(r.clients)
	r.record = &record{environment: w, epoch: w.Now(), trace: history.NewTracer(out.Trace),
		progress: r.progress}
	r.nemesis = newNemesisRunner(r.plan, r.clients, r.record)
	r.limit = r.record.epoch + int64(p.For)
	head := r.header(out)
	if out.Watch != nil {
		r.record.watch = out.Watch(head)
	}
	if r.record.history, err = history.NewRecorder(out.History, head); err != nil {
		return nil, err
	}
	late := nemesis.Launched(p.Scenario)
	for i, c := range r.clients.all {
		r.clients.schedule(i, r.record.epoch)
		c.late = slices.Contains(late, fmt.Sprintf("c%d", i))
	}
	return r, nil
}

// end writes the end of the record, with the first step of the scenario that was not done. Err says
// why the run is worth less than planned. End returns it together with other errors.
func (r *run) end(err error, undone *history.Undone) error {
	r.nemesis.effects.close()
	e := history.Event{Type: history.End, T: r.record.now(), Process: history.Harness, Undone: undone}
	if c, ok := r.environment.(Counting); ok && err == nil {
		e.Counters = c.Counters()
	}
	switch {
	case errors.Is(err, context.Canceled):
		e.Interrupted = true
	case err != nil:
		e.Err = err.Error()
	}
	return errors.Join(err, r.record.history.Record(e))
}

func (p Plan) shape() workloads.Shape {
	return workloads.Shape{Body: p.Workload, Clients: p.Clients, Keys: p.Keys, Hold: p.Hold.D(),
		Think: p.Think.D(), TTL: p.TTL.D(), Seed: p.Seed, Shared: p.Declares().Shared,
		AnyOrder: p.Adapter != nil}
}

// run is the state of one run.
type run struct {
	plan        *Plan
	environment Environment
	started     time.Time     // by the wall clock
	limit       int64         // environment's clock at the end of the run's time
	patience    time.Duration // see patienceOf
	record      *record
	clients     *clients
	nemesis     *nemesisRunner
	progress    *progress
	early       *early // nil unless two clients seem to be inside at once
	resource    workloads.Resource
}

func (r *run) header(out Output) history.Header {
	p := r.plan
	versions := map[string]string{"lockbench": out.Version}
	maps.Copy(versions, r.environment.Versions())
	poll := p.Poll
	if p.Adapter != nil {
		poll = p.Adapter.Poll // zero if unknown
	}
	prefix := ""
	if e, ok := r.environment.(Prefixed); ok {
		prefix = e.Prefix()
	}
	return history.Header{
		Environment: r.environment.Name(), Topology: p.Topology, Versions: versions, Machine: out.Machine,
		Impl: p.Impl, Nemesis: p.Nemesis, Workload: p.Workload,
		Seed: p.Seed, Clients: p.Clients, Keys: p.Keys, TTL: p.TTL, Poll: poll,
		ClientSettings: p.ClientSettings,
		AcquireTimeout: p.AcquireTimeout, Declares: p.Declares(),
		ClientTimeout: p.answerTime(),
		Properties:    p.Properties, Reported: p.Reported,
		Evicts: evicts(p.RedisConfig), WholeTrace: r.wholeTrace(), System: p.System(),
		Outstays: p.Outstays(),
		Masters:  p.Masters, Names: p.keyNames(prefix), Scripts: p.scripts(),
		Expect: p.Expect, Requires: p.Requires, Late: lateness(*p), Epoch: r.record.epoch,
		Started: r.started.UTC().Format(time.RFC3339Nano), Command: out.Command,
	}
}

// Outstays reports whether the scenario keeps the holder inside until its lease is over, although
// the lock does not renew it.
func (p Plan) Outstays() bool { return strings.HasSuffix(p.Nemesis, ":stay") && !p.Renews() }

// Breaks reports whether a step of the scenario breaks an assumption of locks.
func (p Plan) Breaks(what nemesis.Assumption) bool {
	return slices.ContainsFunc(p.Scenario, func(s nemesis.Step) bool {
		a, known := nemesis.ActionOf(s.Do)
		return known && a.Breaks == what
	})
}

// wholeTrace reports whether a tap or the simulator records the commands, instead of the clients.
func (r *run) wholeTrace() bool {
	return r.plan.Adapter != nil && r.plan.System() == "" || r.environment.Name() == "sim"
}

// lateness returns how late events of a run's clients may arrive. Clients of this program report in
// order. The threads of an adapter may report in any order, and a pause may come between a stamp
// and its line.
func lateness(p Plan) history.Duration {
	if p.Adapter == nil {
		return 0
	}
	return history.Duration(time.Minute) + p.For
}

// evicts reports whether servers with these settings, names and values by turns, may evict keys.
func evicts(config []string) bool {
	limited, policy := false, "noeviction"
	for i := 0; i+1 < len(config); i += 2 {
		switch config[i] {
		case "maxmemory":
			limited = config[i+1] != "0"
		case "maxmemory-policy":
			policy = config[i+1]
		}
	}
	return limited && policy != "noeviction"
}

// wake returns the environment's clock at which the loop has something to do without a report.
func (r *run) wake() int64 {
	return min(r.limit, r.nemesis.wake(), r.nemesis.nextLoss(), r.wakeCalm(), r.early.wake(),
		r.clients.wake())
}

// loop runs until the evidence is complete or the time is over.
func (r *run) loop(ctx context.Context) error {
	for !r.finished() {
		if err := r.nemesis.advance(); err != nil {
			return err
		}
		r.hasten() // before dispatch starts a new cycle of a client that has left
		r.clients.dispatch()
		if err := r.step(ctx, r.wake()); err != nil {
			return err
		}
	}
	return nil
}

// step handles one report, or returns when the deadline has passed.
func (r *run) step(ctx context.Context, deadline int64) error {
	rep, ok := r.environment.Next(ctx, deadline)
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	if !ok {
		return nil
	}
	return r.handle(rep)
}

// windDown lets clients finish their cycles, and tells a client that waits to give up. If the run
// ends because a violation is certain, it also tells a client inside to leave: a longer hold would
// show nothing more.
func (r *run) windDown(ctx context.Context) error {
	r.clients.quiet, r.clients.only = true, ""
	if err := r.nemesis.effects.unfreeze(); err != nil {
		return err
	}
	for i := range r.clients.all {
		r.clients.send(i, workloads.Order{Do: workloads.DoStop,
			Leave: r.progress.violated && !r.plan.Thorough})
	}
	r.nemesis.breakpoints.releaseAll()
	limit := r.environment.Now() + int64(r.plan.shape().Longest()) + int64(windDownSlack) +
		2*int64(r.plan.ClientTimeout)
	if err := r.await(ctx, limit); err != nil || !r.hangs() {
		return err // a client that is still inside stays so in the record
	}
	return r.await(ctx, r.environment.Now()+r.hangTime())
}

// await goes on until no client is busy any more, or until a time.
func (r *run) await(ctx context.Context, limit int64) error {
	for r.clients.busy() && r.environment.Now() < limit {
		if err := r.step(ctx, limit); err != nil {
			return err
		}
	}
	return nil
}

// hangs reports whether a client is still in a call although no fault was planned.
func (r *run) hangs() bool {
	return len(r.plan.Scenario) == 0 && r.environment.Name() != "sim" && r.clients.busy()
}

// hangTime returns how long the run must wait for a call until the checker can judge that it hangs.
func (r *run) hangTime() int64 {
	bound := r.plan.grantBound(false)
	return int64(max(2*r.plan.AcquireTimeout, r.plan.ClientTimeout)+bound) + int64(windDownSlack)
}

// grantBound returns the longest wait for a grant that the checker accepts of the declared lock.
func (p *Plan) grantBound(faulted bool) history.Duration {
	d := p.Declares()
	return d.GrantBound(p.TTL, d.PauseOr(p.Poll), faulted)
}

// windDownSlack is the time that a busy machine may need beyond the hold and the time-outs.
const windDownSlack = 2 * time.Second
