package simrun

import (
	"context"
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// recorder collects the events of a run.
type recorder struct {
	Record
	job         Job
	environment *sim.Environment
	monitor     *checker.Monitor
	open        map[[2]int]int     // (process, seq) → number in Trace
	sent        map[int][]*sending // by client
	done        map[int]int        // by client, how many leading commands of sent are executed
	last        history.Duration   // time of the latest step
	situation   situation
}

// sending is a command that a client has sent.
type sending struct {
	seq           int
	node, command string
	executed      bool
}

// noFault is the name of the absence of a fault.
const noFault = "none"

func newRecorder(j Job) *recorder {
	about, _, _ := nemesis.Find(j.Plan.Nemesis)
	calm := standing{}
	if about.Name == noFault {
		calm.most = int64(j.Plan.Leases.Least(j.Plan.TTL) - j.Plan.Hold)
	}
	r := &recorder{Record: Record{meant: j.Plan.Renews() || about.Work, standing: calm}, job: j,
		open: map[[2]int]int{}, sent: map[int][]*sending{}, done: map[int]int{}}
	if j.States {
		r.situation.seen = map[uint64]bool{}
	}
	return r
}

// begin is called when the clients of the environment have connected.
func (r *recorder) begin(w *sim.Environment) {
	r.environment, r.Epoch = w, w.Now()
	if r.job.Injection != nil {
		*r.job.Injection = Injection{environment: w}
	}
}

// watch starts to judge the run while it is in progress.
func (r *recorder) watch(h history.Header) harness.Watcher {
	r.History.Header, r.monitor = h, checker.NewMonitor(h)
	return r
}

// Add implements harness.Watcher.
func (r *recorder) Add(e history.Event) bool {
	r.History.Events = append(r.History.Events, e)
	if r.job.Happened != nil {
		r.job.Happened(e)
	}
	r.situation.event(e)
	if !r.monitor.Add(e) {
		return false
	}
	r.caught = r.monitor.Violated()
	return true
}

// step records a step. The order of the calls counts and not the time stamps, because the stamps of
// two clients may be some nanoseconds out of order.
func (r *recorder) step(at int64, s counterexample.Step) {
	if r.job.Steps {
		s.At = max(history.Duration(at-r.Epoch), r.last)
		r.last = s.At
		r.Steps = append(r.Steps, s)
		if r.job.Stepped != nil {
			r.job.Stepped(len(r.Steps))
		}
	}
}

// command records a line of the trace.
func (r *recorder) command(c history.Command) {
	key := [2]int{c.Process, c.Seq}
	if c.Recv == 0 {
		r.sends(c)
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
	t.Recv, t.Reply, t.Err, t.Why = c.Recv-r.Epoch, c.Reply, c.Err, c.Why
	t.Node, t.Again = c.Node, c.Again
	if r.job.Steps {
		r.step(c.Recv, counterexample.Step{Kind: counterexample.Recv, Client: c.Process, Seq: c.Seq,
			Node: t.Node, Command: counterexample.Render(t.Args), Reply: c.Reply, Err: c.Err,
			Loss: c.Why})
	}
}

func (r *recorder) sends(c history.Command) {
	if !r.job.Steps {
		return
	}
	command := counterexample.Render(c.Args)
	r.step(c.Sent, counterexample.Step{Kind: counterexample.Send, Client: c.Process, Seq: c.Seq,
		Node: c.Node, Command: command})
	r.sent[c.Process] = append(r.sent[c.Process], &sending{seq: c.Seq, node: c.Node,
		command: command})
}

func (r *recorder) executed(x sim.Execution) {
	if r.job.Executed != nil {
		r.job.Executed(x)
	}
	r.situation.executed(x)
	if len(x.Effects) > 0 {
		r.affects(x)
	}
	if !r.job.Steps || r.environment == nil || counterexample.Greets(x.Args[0]) {
		return
	}
	command := counterexample.Render(x.Args)
	r.step(r.environment.Now(), counterexample.Step{
		Kind: counterexample.Exec, Client: x.Client, Seq: r.seq(x.Client, x.Node, command),
		Node: x.Node, Command: command, Reply: resp.Text(x.Reply),
	})
}

// affects attaches the effects of a script to the command that ran it. That is the first command
// with these words that the client has sent to the node and still waits for, or else the first that
// it has given up.
func (r *recorder) affects(x sim.Execution) {
	var of *history.Command
	for i := range r.Trace {
		c := &r.Trace[i]
		if c.Process != x.Client || c.Node != x.Node || c.Effects != nil || c.Recv > 0 && c.Err == "" ||
			!slices.Equal(c.Args, x.Args) {
			continue
		}
		if c.Recv == 0 {
			of = c
			break
		}
		if of == nil {
			of = c
		}
	}
	if of != nil {
		of.Effects = x.Effects
	}
}

// seq returns the number of the command that a node executes: the first matching one that has not
// been executed yet, or the last one if go-redis has sent it again.
func (r *recorder) seq(client int, node, command string) (seq int) {
	all, from := r.sent[client], r.done[client]
	for from < len(all) && all[from].executed {
		from++
	}
	r.done[client] = from // so that a long run looks at each command only a few times
	is := func(s *sending) bool { return s.node == node && s.command == command }
	for _, s := range all[from:] {
		if is(s) && !s.executed {
			s.executed = true
			return s.seq
		}
	}
	for _, s := range slices.Backward(all) {
		if is(s) {
			return s.seq
		}
	}
	return 0
}

func (r *recorder) fault(s nemesis.Step) {
	r.situation.fault()
	r.step(r.environment.Now(), counterexample.Step{Kind: counterexample.Fault, Fault: &s})
}

// observed is a simulated environment that reports to a recorder what its clients do and which
// faults strike.
type observed struct {
	*sim.Environment
	rec *recorder
}

// Next implements harness.Environment.
func (o *observed) Next(ctx context.Context, deadline int64) (workloads.Report, bool) {
	rep, ok := o.Environment.Next(ctx, deadline)
	switch {
	case !ok:
	case rep.Breakpoint != nil:
		o.rec.came(rep.Process, rep.Breakpoint.ID, o.Now()-o.rec.Epoch)
	case rep.Command != nil:
		o.rec.command(*rep.Command)
	case rep.Event != nil:
		if phase := counterexample.PhaseOf(*rep.Event); phase != "" {
			e := rep.Event
			o.rec.step(e.T, counterexample.Step{Kind: counterexample.Mark, Client: rep.Process, N: e.N,
				Phase: phase, Reply: e.Err, CalledOff: e.Why == history.CalledOff})
		}
	}
	return rep, ok
}

// Send implements harness.Environment. It hands a breakpoint at Anywhere to the chooser instead of
// the client.
func (o *observed) Send(client int, order workloads.Order) {
	name := fmt.Sprintf("c%d", client)
	switch order.Do {
	case workloads.DoStop:
		if o.rec.stopped == 0 {
			o.rec.stopped = len(o.rec.Steps)
		}
	case workloads.DoRedirect:
		o.rec.fault(nemesis.Step{Do: nemesis.Redirect, Target: name, Node: order.Node})
	case workloads.DoMessage:
		o.rec.fault(nemesis.Step{Do: order.Body, Target: name})
	case workloads.DoCancel:
		o.rec.fault(nemesis.Step{Do: nemesis.Cancel, Target: name})
	case workloads.DoClock:
		o.rec.fault(nemesis.Step{Do: nemesis.ClientClock, Target: name, Offset: order.Offset,
			Rate: order.Rate})
	case workloads.DoGo:
		if order.Breakpoint != nil {
			o.rec.went(client, order.Breakpoint.ID, o.Now()-o.rec.Epoch)
		}
	case workloads.DoArm:
		o.rec.armed(order.Breakpoint)
		if order.Breakpoint.Command == Anywhere {
			o.rec.job.Injection.arm(client, order.Breakpoint.ID)
			return
		}
	}
	o.Environment.Send(client, order)
}

// Observe implements nemesis.Observer. It records what the harness does to the environment.
func (o *observed) Observe(s nemesis.Step) {
	s.Await, s.Aimed = nil, false
	if s.Do != nemesis.Delay && s.Do != nemesis.Stall {
		s.For = 0
	}
	o.rec.fault(s)
	if s.Do == nemesis.Promote {
		o.rec.Overtaken = o.rec.Overtaken || o.Lags(s.Target)
	}
}
