// Package oracle knows the truth about a simulated run. It records what the engine of each server
// did to each key: who wrote, renewed or deleted it, when it expired, and what a failover or a
// restart lost. From that it derives whether each statement of a verdict is true. Start reading at
// Recorder and Compare. The package is for tests only, because the servers of a user do not show
// these data.
package oracle

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// never is the time of events that did not happen.
const never = math.MaxInt64

// Recorder collects the actions of the servers of a run.
type Recorder struct {
	executions []*execution
	changes    []*change
	pending    []*change // changes by the command that is being executed
}

// execution is a command that a node executed.
type execution struct {
	sim.Execution
	command *history.Command // its trace entry, or nil if it was not found
}

// change is a change of a key with the execution that caused or noticed it.
type change struct {
	sim.Change
	by *execution // nil if there is none
}

// Attach makes a run report to the recorder what its servers do.
func (r *Recorder) Attach(j *simrun.Job) {
	j.Changed = func(c sim.Change) {
		x := &change{Change: c}
		r.changes = append(r.changes, x)
		if c.Client != history.Harness {
			r.pending = append(r.pending, x)
		}
	}
	j.Executed = func(x sim.Execution) {
		e := &execution{Execution: x}
		for _, c := range r.pending {
			c.by = e
		}
		r.pending = r.pending[:0]
		r.executions = append(r.executions, e)
	}
}

// name finds the traced command of each execution that changed a key. It converts all time stamps
// to the clock of the history.
func (r *Recorder) name(trace []history.Command, epoch int64) {
	for _, c := range r.changes {
		c.T -= epoch
	}
	sent := sentBy(trace)
	for _, e := range r.executions {
		e.T -= epoch
		if l := sent[wordsOf(e.Client, e.Args)]; l != nil {
			e.command = l.take(e)
		}
	}
}

// words identifies the commands of a client that look alike.
type words struct {
	client int
	args   string
}

func wordsOf(client int, args []string) words { return words{client, strings.Join(args, "\x00")} }

// alike are the traced commands of a client with the same words, in the order of sending.
type alike struct {
	all  []*history.Command
	open []*history.Command // no execution has taken these
}

func sentBy(trace []history.Command) map[words]*alike {
	sent := map[words]*alike{}
	for i := range trace {
		w := wordsOf(trace[i].Process, trace[i].Args)
		if sent[w] == nil {
			sent[w] = &alike{}
		}
		sent[w].all = append(sent[w].all, &trace[i])
	}
	for _, l := range sent {
		slices.SortStableFunc(l.all, func(a, b *history.Command) int {
			return cmp.Compare(a.Sent, b.Sent)
		})
		l.open = slices.Clone(l.all)
	}
	return sent
}

// take returns the command of an execution. If several may have been executed at that time, it
// returns the one with the earliest reply; if all have been, the one that was sent last and that
// the network or the client library has sent again.
func (l *alike) take(e *execution) *history.Command {
	reply, best, at := resp.Text(e.Reply), int64(never), -1
	for i, c := range l.open {
		if c.Sent > e.T {
			break
		}
		if t := repliedAt(c, e.T, reply); sentTo(c, e) && t < best {
			best, at = t, i
		}
	}
	if at >= 0 {
		c := l.open[at]
		l.open = slices.Delete(l.open, at, at+1)
		return c
	}
	for _, c := range slices.Backward(l.all) {
		if c.Sent <= e.T && sentTo(c, e) {
			return c
		}
	}
	return nil
}

// repliedAt returns when a command was answered with a reply that was given at t, or never.
func repliedAt(c *history.Command, t int64, reply string) int64 {
	switch {
	case c.Recv == 0 || c.Err != "":
		return never - 1
	case c.Recv >= t && c.Reply == reply:
		return c.Recv
	}
	return never
}

// sentTo reports whether a command may have been executed by the node of an execution.
func sentTo(c *history.Command, e *execution) bool { return c.Node == "" || c.Node == e.Node }

// who identifies an acquisition by the client and the number of its acquire call.
type who struct{ Process, N int }

func (e *execution) who() who {
	switch {
	case e == nil:
		return who{history.Harness, 0}
	case e.command == nil:
		return who{e.Client, 0}
	}
	return who{e.Client, e.command.N}
}

// sent returns the time when the client sent the command of an execution.
func (e *execution) sent() int64 {
	if e == nil || e.command == nil {
		return never
	}
	return e.command.Sent
}

// verb returns the name of the command.
func (e *execution) verb() string {
	if e == nil {
		return ""
	}
	return strings.ToUpper(e.Args[0])
}

// compareChanges compares changes by time.
func compareChanges(a, b *change) int { return cmp.Compare(a.T, b.T) }
