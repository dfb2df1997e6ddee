package simrun

import (
	"math"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// A client that stands at a breakpoint stands there because the harness wants it to. When its lease
// runs out meanwhile, no fault made it late: what comes of that is not put down to the fault,
// unless the fault stopped the client itself, or kept it from renewing its lease, or is nothing but
// work that is longer than the lease.

// stand is a time during which a client stood at a breakpoint. Stamps are those of the history.
type stand struct {
	client, breakpoint int
	from, to           int64
}

// standing is where clients stood.
type standing struct {
	// how long one may stand under a plan without a fault, ns; 0: there is one
	most      int64
	unstopped map[int]bool // breakpoints at which no client stops
	stands    []stand
}

// armed notes a breakpoint.
func (s *standing) armed(b *workloads.Breakpoint) {
	if s.unstopped == nil {
		s.unstopped = map[int]bool{}
	}
	passes := nemesis.Await{Phase: b.Phase, Command: b.Command, At: b.At}.Noticed()
	s.unstopped[b.ID] = passes || b.Command == Anywhere
}

// came notes that a client has come to a breakpoint.
func (s *standing) came(client, breakpoint int, t int64) {
	if !s.unstopped[breakpoint] {
		s.stands = append(s.stands, stand{client, breakpoint, t, math.MaxInt64})
	}
}

// went notes that a client may go on from a breakpoint.
func (s *standing) went(client, breakpoint int, t int64) {
	for i := range s.stands {
		if x := &s.stands[i]; x.client == client && x.breakpoint == breakpoint {
			x.to = min(x.to, t)
		}
	}
}

// at reports whether a client stood at a breakpoint at t.
func (s *standing) at(client int, t int64) bool {
	return slices.ContainsFunc(s.stands, func(x stand) bool {
		return x.client == client && x.from <= t && t < x.to
	})
}

// tooLong reports whether a client stood for longer than it may, up to the end.
func (s *standing) tooLong(end int64) bool {
	return s.most > 0 && slices.ContainsFunc(s.stands, func(x stand) bool {
		return min(x.to, end)-x.from >= s.most
	})
}

// OfTheHarness reports whether a violation is nothing but a lease that ran out while the harness
// let its holder stand at a breakpoint: the fault of the plan has no part in it. Without a fault
// whatever comes of too long a stand is of the harness.
func (r *Record) OfTheHarness(p checker.Property) bool {
	if n := len(r.History.Events); n > 0 && r.tooLong(r.History.Events[n-1].T) {
		return true
	}
	if p.Class != checker.LeaseOverrun || p.Witness == nil || len(p.Witness.Holds) == 0 || r.meant {
		return false
	}
	h := p.Witness.Holds[0]
	return r.at(h.Process, h.LeaseEnd) && !r.paused(h.Process, h.LeaseEnd)
}

// paused reports whether a fault had stopped a client at t.
func (r *Record) paused(client int, t int64) bool {
	stopped := false
	for _, e := range r.History.Events {
		if e.T > t {
			break
		}
		if n, err := nemesis.Client(e.Target); e.Type == history.Fault && e.F == nemesis.Pause &&
			err == nil && n == client {
			stopped = e.Phase == history.PhaseFrom
		}
	}
	return stopped
}
