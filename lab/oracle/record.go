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
	byClient := map[int][]*history.Command{}
	for i := range trace {
		byClient[trace[i].Process] = append(byClient[trace[i].Process], &trace[i])
	}
	used := map[*history.Command]bool{}
	for _, e := range r.executions {
		e.T -= epoch
		if e.command = match(e, byClient[e.Client], used); e.command != nil {
			used[e.command] = true
		}
	}
}

// match returns the traced command of an execution. If several have the same words and may have
// been executed at that time, it returns the one with the earliest reply.
func match(e *execution, sent []*history.Command, used map[*history.Command]bool) (
	best *history.Command) {
	reply := resp.Text(e.Reply)
	rank := func(c *history.Command) int64 {
		switch {
		case c.Recv == 0 || c.Err != "":
			return never - 1
		case c.Recv >= e.T && c.Reply == reply:
			return c.Recv
		}
		return never
	}
	for again := range 2 {
		for _, c := range sent {
			if c.Sent > e.T || c.Node != "" && c.Node != e.Node || again == 0 && used[c] ||
				!slices.Equal(c.Args, e.Args) {
				continue
			}
			if again == 0 && rank(c) < never && (best == nil || rank(c) < rank(best)) {
				best = c
			}
			if again == 1 { // resent by the network or the client library
				best = c
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

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
