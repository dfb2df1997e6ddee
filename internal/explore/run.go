package explore

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/sim"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// job is one run of the simulator that is wanted.
type job struct {
	plan    harness.Plan
	chooser sim.Chooser
	steps   bool                // record them
	peek    func(sim.Execution) // is told what nodes execute; may be nil
	tap     func(*recorder)     // is given the recorder before the run; may be nil
}

// Record is what a run left.
type Record struct {
	History history.History
	Trace   []history.Command
	Steps   []Step
	Epoch   int64 // environment's clock at the start
	caught  []string

	overtaken bool  // a replica was promoted before it had what was under way to it
	broke     error // why it is worth less than planned
}

// run carries out a job. Err says why there is no record at all: the plan cannot run in the
// simulator, or the simulator broke.
func (j job) run(ctx context.Context) (r *Record, err error) {
	p := j.plan
	rec := &recorder{job: j, open: map[[2]int]int{}, sent: map[int][]*sending{}}
	cfg := sim.Config{
		Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas, Clients: p.Clients, Seed: p.Seed,
		Worker: p.Worker(), RedisConfig: p.RedisConfig,
		Chooser: j.chooser, Executed: rec.executed,
	}
	err = sim.Run(cfg, func(w *sim.Environment) error {
		rec.environment, rec.Epoch = w, w.Now()
		if j.tap != nil {
			j.tap(rec)
		}
		t := &tapped{Environment: w, rec: rec}
		if err := nemesis.Possible(t, p.Scenario); err != nil {
			return fmt.Errorf("%s: %w", p.Nemesis, err)
		}
		rec.broke = harness.Run(ctx, p, t, harness.Output{History: io.Discard, Trace: io.Discard,
			Watch: rec.watch, Started: w.Started()})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &rec.Record, nil
}

// slowest is how long a command took at most, as its client saw it; one that was never answered
// took until the end.
func (r *Record) slowest() (d time.Duration) {
	end := int64(0)
	for _, c := range r.Trace {
		end = max(end, c.Sent, c.Recv)
	}
	for _, c := range r.Trace {
		to := c.Recv
		if to == 0 {
			to = end
		}
		d = max(d, time.Duration(to-c.Sent))
	}
	return d
}

// gate is one that no client ever comes to: whoever drives the environment says when it is reached.
type gate struct{ process, id int }

// reach says that the gate is reached, if it is armed.
func (r *recorder) reach() bool {
	g := r.armed
	if g == nil {
		return false
	}
	r.armed = nil
	r.environment.Tell(workloads.Report{Process: g.process, Breakpoint: &workloads.BreakpointHit{
		ID: g.id, T: r.environment.Now()}})
	return true
}

// recorder collects what happens in a run.
type recorder struct {
	Record
	job
	environment *sim.Environment
	monitor     *checker.Monitor
	armed       *gate              // see anywhere
	open        map[[2]int]int     // (process, seq) → number in Trace
	sent        map[int][]*sending // by client
	last        history.Duration   // of the latest step
}

// sending is a command of a client, until a node has executed it.
type sending struct {
	seq           int
	node, command string
	executed      bool
}

// watch begins to judge the run while it goes on.
func (r *recorder) watch(h history.Header) harness.Watcher {
	r.History.Header, r.monitor = h, checker.NewMonitor(h)
	return r
}

// Add is harness.Watcher.
func (r *recorder) Add(e history.Event) bool {
	r.History.Events = append(r.History.Events, e)
	if !r.monitor.Add(e) {
		return false
	}
	r.caught = r.monitor.Violated()
	return true
}

// step notes a step. Order counts, not the stamp: two clients' may be some nanoseconds apart the
// other way round.
func (r *recorder) step(at int64, s Step) {
	if r.job.steps {
		s.At = max(history.Duration(at-r.Epoch), r.last)
		r.last = s.At
		r.Steps = append(r.Steps, s)
	}
}

// command notes a line of the trace.
func (r *recorder) command(c history.Command) {
	key := [2]int{c.Process, c.Seq}
	if c.Recv == 0 {
		r.step(c.Sent, Step{Kind: Send, Client: c.Process, Seq: c.Seq, Node: c.Node,
			Command: Spell(c.Args)})
		if r.job.steps {
			r.sent[c.Process] = append(r.sent[c.Process], &sending{seq: c.Seq, node: c.Node,
				command: Spell(c.Args)})
		}
		c.Sent -= r.Epoch
		r.open[key] = len(r.Trace)
		r.Trace = append(r.Trace, c)
		return
	}
	i, ok := r.open[key]
	if !ok {
		return
	}
	t := &r.Trace[i]
	t.Recv, t.Reply, t.Err = c.Recv-r.Epoch, c.Reply, c.Err
	r.step(c.Recv, Step{Kind: Recv, Client: c.Process, Seq: c.Seq, Node: t.Node,
		Command: Spell(t.Args), Reply: c.Reply, Err: c.Err})
}

// executed notes what a node did. The commands by which go-redis greets a server are left out, as
// in the trace.
func (r *recorder) executed(x sim.Execution) {
	if r.peek != nil {
		r.peek(x)
	}
	if !r.job.steps || r.environment == nil || handshake[lower(x.Args[0])] {
		return
	}
	command := Spell(x.Args)
	r.step(r.environment.Now(), Step{
		Kind: Exec, Client: x.Client, Seq: r.seq(x.Client, x.Node, command), Node: x.Node,
		Command: command, Reply: spellReply(x.Reply),
	})
}

var handshake = map[string]bool{"hello": true, "client": true, "auth": true, "select": true}

// seq finds the command that a client has sent: the first that no node has executed yet, or, sent
// again by go-redis itself, the last.
func (r *recorder) seq(client int, node, command string) (seq int) {
	for _, s := range r.sent[client] {
		if s.node != node || s.command != command {
			continue
		}
		if seq = s.seq; !s.executed {
			s.executed = true
			return seq
		}
	}
	return seq
}

// marks are the phases that events of a client stand for.
func markOf(e history.Event) string {
	switch {
	case e.F == history.Acquire && e.Type == history.Invoke:
		return Acquire
	case e.F == history.Acquire && e.Type == history.OK:
		return Granted
	case e.F == history.Acquire:
		return Refused
	case e.F == history.Release && e.Type == history.Invoke:
		return Release
	case e.F == history.Release:
		return Released
	}
	return ""
}
