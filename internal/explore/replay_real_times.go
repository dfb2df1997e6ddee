package explore

import (
	"context"
	"fmt"
	"time"
)

// A replay for which the machine was too slow is done again so often, after a pause each time that
// is twice as long as the one before: a burst of load passes.
const (
	retries    = 6
	firstPause = 250 * time.Millisecond
)

// ReplayReal does the counterexample again on real servers, as often as asked for; the first time
// that it diverges is the last. Where makes the place of each attempt, in a directory of its own.
// One for which the machine was too slow does not count, and is made again some times. The error
// says why there is no outcome: see Attempt.
func (c *Counterexample) ReplayReal(ctx context.Context, times int, where func() (Real, error)) (
	Outcome, error) {
	o := Outcome{Environment: "real Redis"}
	if err := c.Replayable(); err != nil {
		return o, err
	}
	for o.Same < times {
		a, err := c.patiently(ctx, where)
		if err != nil {
			return o, err
		}
		o.Environment, o.Dir, o.Late = "Redis "+a.Redis, a.Dir, max(o.Late, a.Late)
		o.Runs++
		if a.Result != Confirmed {
			o.TooSlow, o.Step, o.Expected, o.Got = a.Result == TooSlow, a.Step, a.Expected, a.Got
			return o, nil
		}
		o.Same++
	}
	o.Confirmed = true
	return o, nil
}

// patiently makes an attempt, and further ones while the machine is too slow.
func (c *Counterexample) patiently(ctx context.Context, where func() (Real, error)) (a Attempt,
	err error) {
	for i := range retries + 1 {
		var r Real
		if r, err = where(); err != nil {
			return a, err
		}
		if a, err = c.attempt(ctx, r); err != nil || a.Result != TooSlow || i == retries {
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

// slowly says in one line that a machine was too slow.
func (o Outcome) slowly() string {
	return fmt.Sprintf(
		"too slow: the machine stalled, %v behind the record; at step %d expected %s, got %s",
		o.Late.Round(time.Millisecond), o.Step, o.Expected, o.Got)
}
