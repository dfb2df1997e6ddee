package replay

import (
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// clock maps the times of a record to a replay. A step takes place no sooner than recorded. Redis
// counts whole milliseconds, so a lease can last up to one millisecond too long. If that decided
// the order of two commands, the replay executes the first at the start of a millisecond. It
// executes the second after the recorded interval, or later if the lease had ended.
type clock struct {
	turns []turn
	plan  harness.Plan
	terms []time.Duration // the leases and the timeouts
	phase time.Duration   // offset of the record's start within a millisecond of the simulator
	zero  int64           // environment's clock at the start of the record
	at    []int64         // environment's clock when each turn was done
	ahead []time.Duration // how much earlier than recorded a turn is due
	late  time.Duration
	stood time.Duration // the longest time that a process did not run although it was not stopped
	lost  time.Duration // the sum of these times over all processes
}

func newClock(c *counterexample.Counterexample, all []turn, epoch int64) *clock {
	k := &clock{turns: all, plan: c.Plan, terms: terms(c.Plan),
		phase: time.Duration(epoch) % time.Millisecond, ahead: make([]time.Duration, len(all))}
	k.hastens()
	return k
}

// A command that was executed in the last millisecond of a lease is replayed a little sooner. Its
// client sends it even sooner, so that it has arrived at the node by then. Otherwise the lease
// would be over before the replay gets there.
const (
	sooner  = 4 * time.Millisecond
	sending = 12 * time.Millisecond
)

// hastens determines which turns are due sooner than recorded.
func (c *clock) hastens() {
	for i := range c.turns {
		for k := i + 1; k < len(c.turns); k++ {
			if c.barely(i, k) {
				c.hasten(k)
			}
		}
	}
}

// hasten makes a command due sooner than recorded, and its sending even sooner.
func (c *clock) hasten(k int) {
	c.ahead[k] = sooner
	for i, s := range c.turns[:k] {
		if s.Kind == counterexample.Send && s.Client == c.turns[k].Client && s.Seq == c.turns[k].Seq {
			c.ahead[i] = sooner + sending
		}
	}
}

// terms returns the times after which a client or a server changes its behaviour by itself.
func terms(p harness.Plan) []time.Duration {
	all := []time.Duration{p.AcquireTimeout.D(), p.TTL.D(), p.TTL.D() / 3}
	for _, lease := range p.Leases {
		all = append(all, lease.D(), lease.D()/3)
	}
	return all
}

// begin sets the time of the first turn to now.
func (c *clock) begin(now int64) {
	c.zero = now
	if len(c.turns) > 0 {
		c.zero -= int64(c.turns[0].At)
	}
}

// recorded returns the time of a turn in the record.
func (c *clock) recorded(i int) int64 { return c.zero + int64(c.turns[i].At) }

// dueTime returns the earliest time of a turn.
func (c *clock) dueTime(i int) int64 { return c.recorded(i) - int64(c.ahead[i]) }

// lateness returns how much the client of a turn must hurry. It is the delay behind the record,
// plus the time that its next command is due sooner.
func (c *clock) lateness(i int, now int64) time.Duration {
	late := max(0, time.Duration(now-c.recorded(i))-c.callDelay(i))
	client := c.turns[i].Client
	for k := i + 1; k < len(c.turns); k++ {
		switch t := c.turns[k]; {
		case ordered(t.Step) == client:
			return -sending // it sleeps until the order arrives
		case t.Kind == counterexample.Send && t.Client == client && c.outOfTime(k):
			return 0 // it sleeps until then by its own clock, and would retry if it woke earlier
		case t.Kind == counterexample.Send && t.Client == client:
			return late + c.ahead[k]
		}
	}
	return late
}

// outOfTime reports whether the time limit of the client's acquire ended just before turn k.
func (c *clock) outOfTime(k int) bool {
	i := c.call(k)
	wait := c.plan.AcquireTimeout.D()
	if i < 0 || wait == 0 {
		return false
	}
	d := c.interval(i, k) - wait
	return d >= 0 && d < time.Millisecond
}

// call returns the latest turn that starts an acquire of turn k's client, or -1.
func (c *clock) call(k int) int {
	for i := k; i >= 0; i-- {
		if t := c.turns[i]; t.Kind == counterexample.Mark && t.Client == c.turns[k].Client &&
			t.Phase == counterexample.Acquire {
			return i
		}
	}
	return -1
}

// callDelay returns how late the client of a turn started its acquire, if the acquire is refused in
// the end. Such a call must not be shorter than in the record, or the client would have time for
// another attempt.
func (c *clock) callDelay(k int) time.Duration {
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

// boundary is slightly longer than a millisecond of Redis.
const boundary = 1200 * time.Microsecond

// interval returns the time from turn i to turn k in the record.
func (c *clock) interval(i, k int) time.Duration { return (c.turns[k].At - c.turns[i].At).D() }

// leaseOf returns the lease that the client of turn i asks for.
func (c *clock) leaseOf(i int) time.Duration {
	return c.plan.Leases.ForClient(c.turns[i].Client, c.plan.TTL).D()
}

// ended reports whether a lease that started with turn i had ended at turn k.
func (c *clock) ended(i, k int) bool {
	ms := func(t turn) time.Duration { return (c.phase + t.At.D()).Truncate(time.Millisecond) }
	return ms(c.turns[k]) > ms(c.turns[i])+c.leaseOf(i)
}

// barely reports whether a node executed turn k in the last millisecond of a lease that started
// with turn i.
func (c *clock) barely(i, k int) bool {
	return c.turns[k].Kind == counterexample.Exec && c.close(i, k) && !c.ended(i, k)
}

// close reports whether a lease that started with turn i ended within about a millisecond of turn
// k, so that the milliseconds of Redis decided.
func (c *clock) close(i, k int) bool {
	d := c.interval(i, k) - c.leaseOf(i)
	return grantsLease(c.turns[i].Step) && d > -time.Millisecond && d < 2*time.Millisecond
}

// aligned reports whether a turn must happen at the start of a millisecond, so that its lease lasts
// as long as in the record.
func (c *clock) aligned(i int) bool {
	for k := i + 1; k < len(c.turns); k++ {
		if c.barely(i, k) {
			return true
		}
	}
	return false
}

// earliest returns the earliest time for a command. By then the leases that had ended in the record
// have ended, and the others end no sooner than in the record.
func (c *clock) earliest(k int) (at int64) {
	for i := range min(k, len(c.at)) {
		switch {
		case !grantsLease(c.turns[i].Step):
		case c.ended(i, k):
			at = max(at, c.at[i]+int64(c.leaseOf(i)+boundary))
		case c.close(i, k):
			at = max(at, c.at[i]+int64(c.interval(i, k)-c.ahead[k]))
		}
	}
	return at
}

// grantsLease reports whether an executed command set a lease on a key.
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

// done records that a turn was done.
func (c *clock) done(i int, now int64) {
	c.at = append(c.at[:i], now)
	c.late = max(c.late, time.Duration(now-c.recorded(i)))
}

// failed records that a turn that started at begun was not as recorded. The time spent waiting for
// it does not count.
func (c *clock) failed(i int, begun int64) {
	if len(c.at) <= i {
		c.at = append(c.at[:i], begun)
	}
	c.late = max(c.late, time.Duration(begun-c.recorded(i)))
}

// gap records that a process did not run for some time.
func (c *clock) gap(d time.Duration) {
	c.stood = max(c.stood, d)
	c.lost += d
}

// jitter is an insignificant difference between a time and the recorded time.
const jitter = 2 * time.Millisecond

// sluggish is a delay that makes any difference inconclusive, because clock readings shift by it
// and timeouts may expire.
const sluggish = 50 * time.Millisecond

// slow reports whether a slow machine may have changed whether a lease or timeout had ended at some
// turn.
func (c *clock) slow() bool {
	if c.late > sluggish || c.stood > sluggish {
		return true
	}
	for k := range c.at {
		for i := range k {
			recorded, real := c.interval(i, k), time.Duration(c.at[k]-c.at[i])
			if k == len(c.at)-1 && c.barely(i, k) {
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
