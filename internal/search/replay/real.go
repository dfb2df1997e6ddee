package replay

import (
	"context"
	"time"

	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// A replay for which the machine was too slow is done again so often, after a pause each time that
// is twice as long as the one before: a burst of load passes.
const (
	retries    = 6
	firstPause = 250 * time.Millisecond
)

// OnServers does the counterexample again on real servers, as often as asked for; the first time
// that it diverges is the last. Where makes the place of each attempt, in a directory of its own.
// An attempt for which the machine was too slow does not count, and is made again some times. The
// error says why there is no outcome: the counterexample cannot be replayed, the environment broke,
// or ctx ended.
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

// patiently makes an attempt, and further ones while the machine is too slow.
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
