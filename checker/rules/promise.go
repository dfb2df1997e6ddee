package rules

import (
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// shortfall is a lease that a lock's commands asked for, shorter than the promised one.
type shortfall struct {
	commands []*history.Command // the last ones before the return that took or prolonged the key
	lease    int64              // ns from the beginning of the promise
}

// shortLease returns the lease of a grant if it is shorter than promised, or nil. What counts is
// the last command on each server that took or prolonged the key before the call returned, and how
// long after its sending the key may be gone. It is not known if a script hides it, or if the
// command says a time of day. A millisecond and the declared drift are allowed for.
func (c *Case) shortLease(h *record.Hold) *shortfall {
	if h.Granted == 0 || h.Shared || !c.trace.Named() || c.ownClockMoved(h) {
		return nil
	}
	s := &shortfall{commands: c.lastThat(h, func(m *history.Command) bool {
		return c.ofGrant(h, m) && (c.trace.MayVote(m) || c.trace.Frees(m))
	})}
	if len(s.commands) < c.quorum() {
		return nil
	}
	for _, m := range s.commands {
		if _, known := c.trace.Asked(m); !known {
			return nil
		}
	}
	s.lease = deliveryRule{c}.expiry(s.commands, 0) - h.Granting
	slack := int64(time.Millisecond) + int64(c.history.Header.Drift*float64(h.Granted))
	if s.lease+slack >= h.Granted {
		return nil
	}
	return s
}
