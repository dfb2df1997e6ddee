package checker

import (
	"strings"
)

// classify says what kind of thing a violation is, and which assumption of the lock a fault broke.
// The order matters: an overlap that the end of a lease explains is an overrun whatever else went
// on; then what the commands show; then the faults.
func (c *check) classify(p *pair, commands []WitnessCommand) (class, assumption string) {
	leased := p.a.leaseAt(p.b.from)
	switch {
	case p.a.from >= p.a.leases[0].to || p.b.from >= p.b.leases[0].to:
		// a grant was believed although its lease was over before the reply was read
		return LateMessage, ""
	case leased <= p.b.from:
		return LeaseOverrun, ""
	case foreignDelete(commands):
		return ReleasedByNonOwner, ""
	case lateDelete(commands):
		return LateMessage, ""
	}
	switch kind := c.culprit(p); kind {
	case durabilityFault:
		return LostByFailover, "durability"
	case serverClockFault:
		return Clock, "server clock"
	case clientClockFault:
		return Clock, "client clock"
	}
	return DoubleGrant, ""
}

// faultKind is which assumption of a lock a fault breaks.
type faultKind uint8

const (
	harmless faultKind = iota // none that a lock on Redis could not keep
	clientClockFault
	serverClockFault
	durabilityFault
)

// culprit returns the gravest kind of fault between the grants of a pair, or before the first one
// if its effect lasts.
func (c *check) culprit(p *pair) faultKind {
	worst := harmless
	for _, f := range c.faults {
		if f.from < p.b.from && (f.to > p.a.call || lasts(f)) {
			worst = max(worst, kindOf(f))
		}
	}
	return worst
}

// lasts reports whether the effect of a fault goes on when the action is over: a clock that was
// moved stays moved.
func lasts(f fault) bool { return kindOf(f) == clientClockFault || kindOf(f) == serverClockFault }

func kindOf(f fault) faultKind {
	_, client := clientOf(f.target)
	word := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(f.f, w) {
				return true
			}
		}
		return false
	}
	switch {
	case f.f == "client-clock" || word("clock", "skew", "jump") && client:
		return clientClockFault
	case word("clock", "skew", "jump"):
		return serverClockFault
	case client || strings.Contains(f.target, ">"):
		return harmless
	case word("promote", "failover", "restart", "start", "kill", "crash", "flush", "truncate", "wipe"):
		return durabilityFault
	}
	return harmless
}
