// Package replay repeats a counterexample: in the simulator, where every step must be the same, or
// with real servers and clients, with each command, reply and fault in the recorded order.
//
// Start reading a replay on servers at run.go. An attempt (attempt.go) prepares an environment and
// a relay between its clients and nodes (relay.go, connection.go). The replayer (replayer.go)
// follows the steps in the order of their effects (order.go, steps.go, faults.go, rest.go), at
// their times (clock.go), and compares commands and replies (match.go).
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/workloads"
)

// Outcome is the result of a replay.
type Outcome struct {
	Confirmed   bool   `json:"confirmed"`
	Environment string `json:"environment"` // "the simulator", "Redis 7.0.15"
	Runs        int    `json:"runs"`        // number of runs
	Same        int    `json:"same"`        // runs that were as recorded
	// The first step that differed, from 1. It is the number of steps plus one if, on real servers,
	// only the verdict differs.
	Step     int    `json:"step,omitempty"`
	Expected string `json:"expected,omitempty"` // the step in the file
	Got      string `json:"got,omitempty"`

	Dir string `json:"dir,omitempty"` // directory of the last run

	// The fields below are for replays on real servers. TooSlow means that it was not as recorded,
	// perhaps because the machine is too slow.
	TooSlow bool          `json:"too_slow,omitempty"`
	Late    time.Duration `json:"late_ns,omitempty"` // the largest delay behind the record
}

// String returns the outcome in one line.
func (o Outcome) String() string {
	switch {
	case o.Confirmed:
		return fmt.Sprintf("confirmed on %s, %d of %d", o.Environment, o.Same, o.Runs)
	case o.TooSlow:
		return fmt.Sprintf(
			"too slow: the machine stalled, %v behind the record; at step %d expected %s, got %s",
			o.Late.Round(time.Millisecond), o.Step, o.Expected, o.Got)
	}
	return fmt.Sprintf("diverged at step %d: expected %s, got %s (%s)", o.Step, o.Expected, o.Got,
		o.Environment)
}

// compare compares a simulated run with the record. Each step must be the same, unless the lock is
// a program, whose threads may race, and the same property must be violated.
func compare(c *counterexample.Counterexample, r *simrun.Record) Outcome {
	o := Outcome{Environment: "the simulator", Runs: 1}
	k, _ := counterexample.Diverge(c.Steps, r.Steps)
	switch v, violated := r.Confirm(c.Verdict.Property); {
	case k < len(c.Steps) && !workloads.IsProgram(c.Plan.Impl):
		o.Step, o.Expected, o.Got = k+1, counterexample.Quote(c.Steps[k].String()), "the end of the run"
		if k < len(r.Steps) {
			o.Got = counterexample.Quote(r.Steps[k].String())
		}
		// the steps differ by less than a microsecond, or in a field that the text omits
		if o.Expected == o.Got {
			o.Expected, o.Got = c.Steps[k].Flow(), r.Steps[k].Flow()
		}
	case !violated:
		o.Step, o.Expected, o.Got = len(c.Steps), "a violation of "+c.Verdict.Property,
			cmp.Or(v.Reason, v.Verdict.String())
	case v.Class != c.Verdict.Class:
		o.Step, o.Expected, o.Got = len(c.Steps), "the class "+counterexample.Quote(c.Verdict.Class),
			counterexample.Quote(v.Class)
	default:
		o.Confirmed, o.Same = true, 1
	}
	return o
}

// simulated repeats a counterexample in the simulator. The run is stored and judged in the run
// directory like any other run. It returns an error if the plan cannot run.
func (p Place) simulated(ctx context.Context, c *counterexample.Counterexample) (Outcome, error) {
	plan, files, err := p.open(c)
	if err != nil {
		return Outcome{}, err
	}
	defer files.Close()
	j := simrun.CaseOf(c).Job()
	j.Plan, j.Steps = plan, true
	j.Output = harness.Output{History: files.History, Trace: files.Trace, Command: p.Command,
		Version: p.Version}
	r, err := j.Run(ctx)
	if err != nil {
		return Outcome{}, err
	}
	o := compare(c, r)
	o.Dir = p.Dir
	err = errors.Join(ctx.Err(), scripts(files.Trace, r.Trace))
	if err == nil {
		_, err = store.Judge(p.Dir)
	}
	return o, err
}

// scripts adds to a trace what its scripts did.
func scripts(w io.Writer, commands []history.Command) (err error) {
	out := history.NewTracer(w)
	for _, m := range commands {
		if len(m.Effects) > 0 && err == nil {
			err = out.Record(history.Command{Process: m.Process, Seq: m.Seq, Effects: m.Effects})
		}
	}
	return err
}

// open writes the first files of a run directory, and opens those of the record.
func (p Place) open(c *counterexample.Counterexample) (plan harness.Plan, files store.Recording,
	err error) {
	plan = c.Plan
	plan.Environment, plan.Expect = p.Environment, c.Verdict.Property
	err = errors.Join(
		store.Write(p.Dir, store.Plan, func(f *os.File) error { return plan.Write(f) }),
		store.Write(p.Dir, store.Counterexample, func(f *os.File) error { return c.Write(f) }),
	)
	if err == nil {
		files, err = store.Record(p.Dir)
	}
	return plan, files, err
}
