// Package oracle knows the truth of a simulated run. It records what the engine of each server did
// to each key: who wrote, renewed or deleted it, when its time was over, and what a failover or a
// restart lost. From that it derives whether each statement of a verdict is true. Begin with
// Recorder and Compare. It is for tests: lockbench itself never looks at what a user's servers
// cannot show.
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

// never is the stamp of what did not happen.
const never = math.MaxInt64

// Recorder collects what the servers of a run do.
type Recorder struct {
	executions []*execution
	changes    []*change
	pending    []*change // of the command that is being executed
}

// execution is a command that a node has executed.
type execution struct {
	sim.Execution
	command *history.Command // of the trace; nil: not found
}

// change is a change of a key with the execution that made it or met it.
type change struct {
	sim.Change
	by *execution // nil: none
}

// Attach lets a run tell the recorder what its servers do.
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

// name finds the command of the trace for each execution that changed a key, and moves all stamps
// to those of the history.
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

// match finds the command that an execution was of: of those in the same words that may have been
// executed then, the one whose reply came first.
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
			if again == 1 { // sent twice by the network or the client library
				best = c
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// who is an acquisition: a client and the number of its acquire call.
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

// sent is when the command of an execution left its client.
func (e *execution) sent() int64 {
	if e == nil || e.command == nil {
		return never
	}
	return e.command.Sent
}

// verb is the name of the command.
func (e *execution) verb() string {
	if e == nil {
		return ""
	}
	return strings.ToUpper(e.Args[0])
}

// compareChanges orders changes by time.
func compareChanges(a, b *change) int { return cmp.Compare(a.T, b.T) }
