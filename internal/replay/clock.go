package replay

import (
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/explore/counterexample"
)

// clock brings the times of a record to a replay. A step takes place no sooner than recorded. Redis
// counts whole milliseconds, so that a lease lasts up to one millisecond longer than it should.
// Where that decided between two commands, the first is executed when a millisecond begins, and the
// second as much later as in the record, or later still if the lease had ended.
type clock struct {
	turns []turn
	terms []time.Duration // the lease and the time-outs
	lease time.Duration
	phase time.Duration // of the record's beginning within a millisecond of the simulator's wall clock
	zero  int64         // environment's clock at the record's beginning
	at    []int64       // environment's clock when a turn was done
	// by which clients wait longer before they give up (see patient)
	patience time.Duration
	late     time.Duration
	stood    time.Duration // how long a process did not run at most, though it was not stopped
}

func newClock(c *counterexample.Counterexample, all []turn, epoch int64) *clock {
	return &clock{turns: all, lease: c.Plan.TTL.D(), terms: terms(c), patience: longer(c),
		phase: time.Duration(epoch) % time.Millisecond}
}

// terms are the times after which a client or a server does something else.
func terms(c *counterexample.Counterexample) []time.Duration {
	w := patient(c)
	return []time.Duration{w.TTL.D(), w.TTL.D() / 3, w.AcquireTimeout.D(), w.ClientTimeout.D(),
		w.NodeTimeout.D()}
}

// begin makes now the time of the first turn.
func (c *clock) begin(now int64) {
	c.zero = now
	if len(c.turns) > 0 {
		c.zero -= int64(c.turns[0].At)
	}
}

// due is the earliest time of a turn.
func (c *clock) due(i int) int64 { return c.zero + int64(c.turns[i].At) }

// lateness is how much later than recorded it is for a turn, or, where a client is about to give
// up, how much later it will.
func (c *clock) lateness(i int, now int64) time.Duration {
	return max(0, time.Duration(now-c.due(i)), c.longer(i))
}

// boundary is a little more than Redis' millisecond.
const boundary = 1200 * time.Microsecond

// between is the time from one turn to another in the record, with the longer patience of clients.
func (c *clock) between(i, k int) time.Duration {
	return (c.turns[k].At - c.turns[i].At).D() + c.longer(k) - c.longer(i)
}

// longer is how much later than in the record a turn is on purpose.
func (c *clock) longer(i int) time.Duration {
	if gaveUp(c.turns[i].Step) {
		return c.patience
	}
	return 0
}

// ended reports whether a lease that began with turn i had ended at turn k.
func (c *clock) ended(i, k int) bool {
	ms := func(t turn) time.Duration { return (c.phase + t.At.D()).Truncate(time.Millisecond) }
	return ms(c.turns[k]) > ms(c.turns[i])+c.lease
}

// close reports whether a lease that began with turn i had just ended at turn k, or would have in a
// moment: Redis' milliseconds decided.
func (c *clock) close(i, k int) bool {
	d := c.between(i, k) - c.lease
	return grantsLease(c.turns[i].Step) && d > -time.Millisecond && d < 2*time.Millisecond
}

// aligned reports whether a turn must be done when a millisecond begins, so that its lease lasts as
// long as in the record.
func (c *clock) aligned(i int) bool {
	for k := i + 1; k < len(c.turns); k++ {
		if c.turns[k].Kind == counterexample.Exec && c.close(i, k) && !c.ended(i, k) {
			return true
		}
	}
	return false
}

// earliest is the time from which on a command may be executed: the leases that had ended in the
// record have ended by then, and the others end no sooner than there.
func (c *clock) earliest(k int) (at int64) {
	for i := range min(k, len(c.at)) {
		switch {
		case !grantsLease(c.turns[i].Step):
		case c.ended(i, k):
			at = max(at, c.at[i]+int64(c.lease+boundary))
		case c.close(i, k):
			at = max(at, c.at[i]+int64(c.between(i, k)))
		}
	}
	return at
}

// grantsLease reports whether an executed command has given a key a lease.
func grantsLease(s counterexample.Step) bool {
	if s.Kind != counterexample.Exec {
		return false
	}
	word, _, _ := strings.Cut(strings.ToLower(s.Command), " ")
	switch word {
	case "set", "getset":
		return s.Reply == "OK"
	case "expire", "pexpire":
		return s.Reply == "1"
	case "eval":
		return s.Reply == "(nil)" || s.Reply == "1" || strings.HasPrefix(s.Reply, "[-1")
	}
	return false
}

// done notes that a turn was done.
func (c *clock) done(i int, now int64) {
	c.at = append(c.at[:i], now)
	c.late = max(c.late, time.Duration(now-c.due(i))-c.longer(i))
}

// failed notes that a turn that began then was not as recorded: the time of waiting for it says
// nothing.
func (c *clock) failed(i int, begun int64) {
	if len(c.at) <= i {
		c.at = append(c.at[:i], begun)
	}
	c.late = max(c.late, time.Duration(begun-c.due(i)))
}

// gap notes that a process did not run.
func (c *clock) gap(d time.Duration) { c.stood = max(c.stood, d) }

// jitter is how far two times may be apart from the record's without it meaning anything.
const jitter = 2 * time.Millisecond

// sluggish is a delay after which nothing follows from a difference: readings of clocks differ by
// it, and time-outs come in between.
const sluggish = 50 * time.Millisecond

// slow reports whether, up to a turn, something may have ended here that had not ended in the
// record, or the other way round, because the machine was slow.
func (c *clock) slow() bool {
	if c.late > sluggish || c.stood > sluggish {
		return true
	}
	for k := range c.at {
		for i := range k {
			recorded, real := c.between(i, k), time.Duration(c.at[k]-c.at[i])
			if k == len(c.at)-1 && c.turns[k].Kind == counterexample.Exec && c.close(i, k) &&
				!c.ended(i, k) {
				return true // a part of a millisecond decided
			}
			for _, t := range c.terms {
				if max(real-recorded, recorded-real) > jitter && (recorded < t) != (real < t) {
					return true
				}
			}
		}
	}
	return false
}
