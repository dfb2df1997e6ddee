package replay

import (
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// clock brings the times of a record to a replay. A step takes place no sooner than recorded. Redis
// counts whole milliseconds, so that a lease lasts up to one millisecond longer than it should.
// Where that decided between two commands, the first is executed when a millisecond begins, and the
// second as much later as in the record, or later still if the lease had ended.
type clock struct {
	turns []turn
	terms []time.Duration // the lease and the time-outs
	lease time.Duration
	wait  time.Duration   // that a client has for an acquire
	phase time.Duration   // of the record's beginning within one of the simulator's milliseconds
	zero  int64           // environment's clock at the record's beginning
	at    []int64         // environment's clock when a turn was done
	ahead []time.Duration // how much sooner than recorded a turn is due
	late  time.Duration
	stood time.Duration // how long a process did not run at most, though it was not stopped
	lost  time.Duration // the same of all processes in all
}

func newClock(c *counterexample.Counterexample, all []turn, epoch int64) *clock {
	k := &clock{turns: all, lease: c.Plan.TTL.D(), terms: terms(c),
		wait:  c.Plan.AcquireTimeout.D(),
		phase: time.Duration(epoch) % time.Millisecond, ahead: make([]time.Duration, len(all))}
	k.hastens()
	return k
}

// A command that was executed in the last millisecond of a lease comes a little sooner, and its
// client sends it so much sooner that it stands before the node by then: else the lease would be
// over before the replay is there.
const (
	sooner  = 4 * time.Millisecond
	sending = 12 * time.Millisecond
)

// hastens finds what is due sooner than recorded.
func (c *clock) hastens() {
	for k, t := range c.turns {
		if t.Kind != counterexample.Exec || !slices.ContainsFunc(c.granting(k), func(i int) bool {
			return c.close(i, k) && !c.ended(i, k)
		}) {
			continue
		}
		c.ahead[k] = sooner
		for i, s := range c.turns[:k] {
			if s.Kind == counterexample.Send && s.Client == t.Client && s.Seq == t.Seq {
				c.ahead[i] = sooner + sending
			}
		}
	}
}

// granting are the turns before k that gave a key a lease.
func (c *clock) granting(k int) (all []int) {
	for i := range k {
		if grantsLease(c.turns[i].Step) {
			all = append(all, i)
		}
	}
	return all
}

// terms are the times after which a client or a server does something else by itself.
func terms(c *counterexample.Counterexample) []time.Duration {
	p := c.Plan
	return []time.Duration{p.TTL.D(), p.TTL.D() / 3, p.AcquireTimeout.D()}
}

// begin makes now the time of the first turn.
func (c *clock) begin(now int64) {
	c.zero = now
	if len(c.turns) > 0 {
		c.zero -= int64(c.turns[0].At)
	}
}

// recorded is the time of a turn in the record.
func (c *clock) recorded(i int) int64 { return c.zero + int64(c.turns[i].At) }

// due is the earliest time of a turn.
func (c *clock) due(i int) int64 { return c.recorded(i) - int64(c.ahead[i]) }

// lateness is by how much the client of a turn must hurry: how much later than recorded it is, and
// how much sooner its next command is due.
func (c *clock) lateness(i int, now int64) time.Duration {
	late := max(0, time.Duration(now-c.recorded(i))-c.behind(i))
	client := c.turns[i].Client
	for k := i + 1; k < len(c.turns); k++ {
		switch t := c.turns[k]; {
		case ordered(t.Step) == client:
			return -sending // it sleeps until the order is there
		case t.Kind == counterexample.Send && t.Client == client && c.outOfTime(k):
			return 0 // it sleeps until then by its own clock, and would try again if it woke before
		case t.Kind == counterexample.Send && t.Client == client:
			return late + c.ahead[k]
		}
	}
	return late
}

// outOfTime reports whether the time that a client has for an acquire ended just before a turn.
func (c *clock) outOfTime(k int) bool {
	i := c.call(k)
	if i < 0 || c.wait == 0 {
		return false
	}
	d := c.between(i, k) - c.wait
	return d >= 0 && d < time.Millisecond
}

// call is the turn in which the client of a turn began its latest acquire; -1: none.
func (c *clock) call(k int) int {
	for i := k; i >= 0; i-- {
		if t := c.turns[i]; t.Kind == counterexample.Mark && t.Client == c.turns[k].Client &&
			t.Phase == counterexample.Acquire {
			return i
		}
	}
	return -1
}

// behind is how late the acquire of a turn's client began that ends with a refusal: such a call is
// not shorter than in the record, or the client would have time for another try.
func (c *clock) behind(k int) time.Duration {
	i := c.call(k)
	if i < 0 || i >= len(c.at) {
		return 0
	}
	for _, t := range c.turns[i+1:] {
		if t.Kind == counterexample.Mark && t.Client == c.turns[i].Client {
			if t.Phase == counterexample.Refused {
				return max(0, time.Duration(c.at[i]-c.recorded(i)))
			}
			break
		}
	}
	return 0
}

// boundary is a little more than Redis' millisecond.
const boundary = 1200 * time.Microsecond

// between is the time from one turn to another in the record.
func (c *clock) between(i, k int) time.Duration { return (c.turns[k].At - c.turns[i].At).D() }

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
			at = max(at, c.at[i]+int64(c.between(i, k)-c.ahead[k]))
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
	c.late = max(c.late, time.Duration(now-c.recorded(i)))
}

// failed notes that a turn that began then was not as recorded: the time of waiting for it says
// nothing.
func (c *clock) failed(i int, begun int64) {
	if len(c.at) <= i {
		c.at = append(c.at[:i], begun)
	}
	c.late = max(c.late, time.Duration(begun-c.recorded(i)))
}

// gap notes that a process did not run.
func (c *clock) gap(d time.Duration) {
	c.stood = max(c.stood, d)
	c.lost += d
}

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
