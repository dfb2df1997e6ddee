package replay

import (
	"context"
	"time"

	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// If the machine was too slow for a replay, it is repeated up to retries times. Each pause is twice
// as long as the one before, so that a burst of load passes.
const (
	retries    = 6
	firstPause = 250 * time.Millisecond
)

// OnServers repeats the counterexample on real servers the given number of times. It stops when a
// replay diverges. Where returns the place of each attempt, with a directory of its own. If the
// machine was too slow, the attempt does not count and is repeated a few times. OnServers returns
// an error if the counterexample cannot be replayed, the environment fails, or ctx ends.
func OnServers(ctx context.Context, c *counterexample.Counterexample, times int,
	where func() (Place, error)) (Outcome, error) {
	o := Outcome{Environment: "real Redis"}
	if err := Possible(c); err != nil {
		return o, err
	}
	for o.Same < times {
		a, err := patiently(ctx, c, where)
		if err != nil {
			return o, err
		}
		o.Environment, o.Dir, o.Late = "Redis "+a.redis, a.dir, max(o.Late, a.late)
		o.Runs++
		if a.result != confirmed {
			o.TooSlow, o.Step, o.Expected, o.Got = a.result == tooSlow, a.step, a.expected, a.got
			return o, nil
		}
		o.Same++
	}
	o.Confirmed = true
	return o, nil
}

// patiently makes an attempt, and repeats it while the machine is too slow.
func patiently(ctx context.Context, c *counterexample.Counterexample,
	where func() (Place, error)) (a attempt, err error) {
	for i := range retries + 1 {
		p, err := where()
		if err != nil {
			return a, err
		}
		if a, err = p.attempt(ctx, c); err != nil || a.result != tooSlow || i == retries {
			return a, err
		}
		select {
		case <-time.After(firstPause << i):
		case <-ctx.Done():
			return a, ctx.Err()
		}
	}
	return a, nil
}
