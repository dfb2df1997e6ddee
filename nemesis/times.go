package nemesis

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// times returns the times that a step may name, with or without a number before the name. They
// depend on the plan: a pause must outlast the attacked lease.
func (p Params) times() map[string]time.Duration {
	polls := 3*p.Poll + 15*time.Millisecond
	quick := max(p.TTL/4, 2*time.Millisecond)
	votes := quick
	if p.Nodes > 1 {
		votes = p.TTL / 2
	}
	return map[string]time.Duration{
		"ttl": p.TTL, "hold": p.Hold, "timeout": p.Timeout,
		"long": p.Long(),
		// of a clock, and until one that runs at a tenth of the speed is as late
		"jump": p.jump(), "lagging": time.Duration(float64(p.jump()) / 0.9),
		// a client that polls finds the lock free, also on a busy machine; a holder does its work,
		// leaves, and another notices; others try for a free lock
		"polls": polls, "leave": p.Hold + polls, "look": p.TTL / 4,
		// another client is granted the lock: after the lease, where it is free already, where votes
		// have to be given up before
		"soon":  p.TTL*3/2 + 3*p.Poll + 300*time.Millisecond,
		"quick": quick, "votes": votes,
		// a time-out that leaves most of the lease
		"short":    min(max(p.TTL/8, 25*time.Millisecond), p.Timeout),
		"election": election, "hearsay": hearsay,
	}
}

// jump returns a clock's jump that no lease survives.
func (p Params) jump() time.Duration { return p.TTL + 500*time.Millisecond }

// Long returns a time that outlasts a lease.
func (p Params) Long() time.Duration { return p.TTL * 13 / 10 }

// The longest times until sentinels promote a replica (two seconds are usual), and until clients
// learn of it.
const (
	election = 15 * time.Second
	hearsay  = 5 * time.Second
)

// span reads a time: "130ms", in leases "1.3ttl", or a sum of these. For "" it returns 0.
func (p Params) span(text string) (sum history.Duration, err error) {
	if text == "" {
		return 0, nil
	}
	times := p.times()
	for term := range strings.SplitSeq(text, "+") {
		number := strings.TrimRight(term, "abcdefghijklmnopqrstuvwxyz")
		unit, named := times[term[len(number):]]
		if !named {
			d, err := time.ParseDuration(term)
			if err != nil {
				return 0, fmt.Errorf("%q is not a time; write it like %q or, in leases, %q", text, "130ms",
					"1.3ttl")
			}
			sum += history.Duration(d)
			continue
		}
		f, err := factor(number)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number of leases; write it like %q, at most %d", text,
				"1.3ttl", maxLeases)
		}
		sum += history.Duration(math.Round(f * float64(unit)))
	}
	return sum, nil
}

// factor returns the number before a time's name, or 1 if there is none.
func factor(text string) (float64, error) {
	if text == "" || text == "-" {
		text += "1"
	}
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && (f < -maxLeases || f > maxLeases) {
		err = strconv.ErrRange
	}
	return f, err
}

// maxLeases bounds the factor of a time, so that the time does not overflow.
const maxLeases = 1000
