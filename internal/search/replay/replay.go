// Package replay does a counterexample again: in the simulator, where every step must be the same
// (Simulated), or with real servers and clients, each command, reply and fault in the recorded
// order (OnServers).
//
// A replay on servers is read from real.go: attempts (attempt.go) prepare an environment and a
// relay between its clients and nodes (relay.go, connection.go); the replayer (replayer.go) follows
// the steps in the order in which they took effect (order.go, steps.go, faults.go, rest.go), at
// their times (clock.go), and compares commands and replies (match.go).
package replay

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// Outcome says how a replay ended.
type Outcome struct {
	Confirmed   bool   `json:"confirmed"`
	Environment string `json:"environment"`        // "the simulator", "Redis 7.0.15"
	Runs        int    `json:"runs"`               // that were made
	Same        int    `json:"same"`               // of the runs, as recorded
	Step        int    `json:"step,omitempty"`     // the first that was not, from 1
	Expected    string `json:"expected,omitempty"` // what the file says there
	Got         string `json:"got,omitempty"`

	// Of a replay on real servers.
	// it was not as recorded, and the machine may have been the reason
	TooSlow bool          `json:"too_slow,omitempty"`
	Late    time.Duration `json:"late_ns,omitempty"` // how far it was behind the record at most
	Dir     string        `json:"dir,omitempty"`     // run directory of the last one
}

// String is the outcome in one line.
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

// Simulated does a counterexample again in the simulator: each step must be the same, and the same
// property must be violated. The error is for a file whose plan cannot run at all.
func Simulated(ctx context.Context, c *counterexample.Counterexample) (Outcome, error) {
	o := Outcome{Environment: "the simulator", Runs: 1}
	r, err := simrun.Of(c).Run(ctx)
	if err != nil {
		return o, err
	}
	if ctx.Err() != nil {
		return o, ctx.Err()
	}
	k, _ := counterexample.Diverge(c.Steps, r.Steps)
	switch v, violated := r.Confirm(c.Verdict.Property); {
	case k < len(c.Steps):
		o.Step, o.Expected, o.Got = k+1, counterexample.Quote(c.Steps[k].String()), "the end of the run"
		if k < len(r.Steps) {
			o.Got = counterexample.Quote(r.Steps[k].String())
		}
		// they differ by less than a microsecond, or in a field that people need not see
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
	return o, nil
}
