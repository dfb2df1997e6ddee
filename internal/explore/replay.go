package explore

import (
	"context"
	"fmt"
	"time"
)

// Outcome says what came of a replay.
type Outcome struct {
	Confirmed   bool   `json:"confirmed"`
	Environment string `json:"environment"`        // "the simulator", "Redis 7.0.15"
	Runs        int    `json:"runs"`               // that were made
	Same        int    `json:"same"`               // of which were as recorded
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
	if o.Confirmed {
		return fmt.Sprintf("confirmed on %s, %d of %d", o.Environment, o.Same, o.Runs)
	}
	if o.TooSlow {
		return o.slowly()
	}
	return fmt.Sprintf("diverged at step %d: expected %s, got %s (%s)", o.Step, o.Expected, o.Got,
		o.Environment)
}

// Replay does a counterexample again in the simulator: each step must be the same, and the same
// property must be violated. The error is for a file whose plan cannot run at all.
func (c *Counterexample) Replay(ctx context.Context) (Outcome, error) {
	o := Outcome{Environment: "the simulator", Runs: 1}
	r, err := c.Case().run(ctx)
	if err != nil {
		return o, err
	}
	if ctx.Err() != nil {
		return o, ctx.Err()
	}
	k, _ := diverge(c.Steps, r.Steps)
	switch v, violated := r.confirm(c.Verdict.Property); {
	case k < len(c.Steps):
		o.Step, o.Expected, o.Got = k+1, quote(c.Steps[k].String()), "the end of the run"
		if k < len(r.Steps) {
			o.Got = quote(r.Steps[k].String())
		}
		if o.Expected == o.Got { // they differ by less than a microsecond, or in what people need not see
			o.Expected, o.Got = c.Steps[k].flow(), r.Steps[k].flow()
		}
	case !violated:
		o.Step, o.Expected, o.Got = len(c.Steps), "a violation of "+c.Verdict.Property,
			firstWord(v.Reason, v.Verdict.String())
	case v.Class != c.Verdict.Class:
		o.Step, o.Expected, o.Got = len(c.Steps), "the class "+quote(c.Verdict.Class), quote(v.Class)
	default:
		o.Confirmed, o.Same = true, 1
	}
	return o, nil
}

func firstWord(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}
