package explore

import (
	"time"

	"github.com/lockbench/lockbench/internal/harness"
)

// clock brings the times of a record to a replay. A step takes place no sooner than recorded; and where a lease may have ended between two commands, no sooner
// after the first than recorded, so that it has ended here, too.
type clock struct {
	steps   []Step
	terms   []time.Duration // what may end: the lease, time-outs
	lease   time.Duration
	zero    int64   // world's clock at the record's beginning
	at      []int64 // world's clock when a step was done
	late    time.Duration
	stalled bool // a process stood still
}

func newClock(c *Counterexample) *clock {
	return &clock{steps: c.Steps, lease: c.Plan.TTL.D(), terms: terms(c.Plan)}
}

// terms are the times after which somebody does something else.
func terms(p harness.Plan) []time.Duration {
	all := []time.Duration{p.TTL.D(), p.TTL.D() / 3, p.AcquireTimeout.D(), p.ClientTimeout.D(), p.NodeTimeout.D()}
	return all
}

// begin says that now is the time of the first step.
func (c *clock) begin(now int64) {
	c.zero = now
	if len(c.steps) > 0 {
		c.zero -= int64(c.steps[0].At)
	}
}

// due is before when a step may not be done.
func (c *clock) due(i int) int64 { return c.zero + int64(c.steps[i].At) }

// lateness is how much later than recorded it is for a step.
func (c *clock) lateness(i int, now int64) time.Duration { return max(0, time.Duration(now-c.due(i))) }

// boundary is more than Redis' clock can be coarse: it counts milliseconds, and a lease has ended when they are more than its end.
const boundary = 1200 * time.Microsecond

// expired is before when a command may not be executed, so that every lease that had ended in the record has ended.
func (c *clock) expired(i int) (at int64) {
	for k := range c.at {
		if between := c.steps[i].At - c.steps[k].At; c.steps[k].Kind == Exec && between.D() >= c.lease {
			at = max(at, c.at[k]+int64(between)+int64(boundary))
		}
	}
	return at
}

// done notes that a step was done.
func (c *clock) done(i int, now int64) {
	c.at = append(c.at[:i], now)
	c.late = max(c.late, time.Duration(now-c.due(i)))
}

// gap notes that a process did not run.
func (c *clock) gap(d time.Duration) { c.stalled = c.stalled || d > c.lease/4 }

// jitter is how far two times may be apart from the record's without it meaning anything.
const jitter = 2 * time.Millisecond

// slow reports whether, up to a step, something may have ended here that had not ended in the record, or the other way round, because the machine
// was slow.
func (c *clock) slow(step int) bool {
	for k := range min(step+1, len(c.at)) {
		for i := range k {
			recorded, real := (c.steps[k].At - c.steps[i].At).D(), time.Duration(c.at[k]-c.at[i])
			for _, t := range c.terms {
				if max(real-recorded, recorded-real) > jitter && (recorded < t) != (real < t) {
					return true
				}
			}
		}
	}
	return false
}
