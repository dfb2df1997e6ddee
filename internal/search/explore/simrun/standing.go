package simrun

import (
	"math"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// A client waits at a breakpoint because the harness wants it to. If its lease runs out meanwhile,
// no fault delayed it. A violation that follows is not attributed to the fault, unless the fault
// stopped the client itself, kept it from renewing its lease, or consists of work that is longer
// than the lease.

// stand is a period of waiting at a breakpoint, with the client and the clock of the history.
type stand struct {
	client, breakpoint int
	from, to           int64
}

// standing records where clients waited at breakpoints.
type standing struct {
	// the longest wait allowed under a plan without a fault, in ns; 0 if the plan has a fault
	most      int64
	unstopped map[int]bool // breakpoints at which no client stops
	stands    []stand
}

func (s *standing) armed(b *workloads.Breakpoint) {
	if s.unstopped == nil {
		s.unstopped = map[int]bool{}
	}
	passes := nemesis.Await{Phase: b.Phase, Command: b.Command, At: b.At}.Noticed()
	s.unstopped[b.ID] = passes || b.Command == Anywhere
}

func (s *standing) came(client, breakpoint int, t int64) {
	if !s.unstopped[breakpoint] {
		s.stands = append(s.stands, stand{client, breakpoint, t, math.MaxInt64})
	}
}

// went records that a client may leave a breakpoint.
func (s *standing) went(client, breakpoint int, t int64) {
	for i := range s.stands {
		if x := &s.stands[i]; x.client == client && x.breakpoint == breakpoint {
			x.to = min(x.to, t)
		}
	}
}

// stoodAt reports whether a client waited at a breakpoint at time t.
func (s *standing) stoodAt(client int, t int64) bool {
	return slices.ContainsFunc(s.stands, func(x stand) bool {
		return x.client == client && x.from <= t && t < x.to
	})
}

// tooLong reports whether a client waited for longer than allowed, up to the end.
func (s *standing) tooLong(end int64) bool {
	return s.most > 0 && slices.ContainsFunc(s.stands, func(x stand) bool {
		return min(x.to, end)-x.from >= s.most
	})
}

// OfTheHarness reports whether a violation is only a lease that ran out while the harness kept its
// holder at a breakpoint, so that the fault of the plan has no part in it. Without a fault, the
// harness causes every violation after a wait that was too long.
func (r *Record) OfTheHarness(p checker.Property) bool {
	if n := len(r.History.Events); n > 0 && r.tooLong(r.History.Events[n-1].T) {
		return true
	}
	if p.Class != checker.LeaseOverrun || p.Witness == nil || len(p.Witness.Holds) == 0 || r.meant {
		return false
	}
	h := p.Witness.Holds[0]
	return r.stoodAt(h.Process, h.LeaseEnd) && !r.paused(h.Process, h.LeaseEnd)
}

// paused reports whether a fault had stopped a client at time t.
func (r *Record) paused(client int, t int64) bool {
	stopped := false
	for _, e := range r.History.Events {
		if e.T > t {
			break
		}
		row, _ := nemesis.ActionOf(e.F)
		if n, err := nemesis.Client(e.Target); e.Type == history.Fault && row.Stops &&
			err == nil && n == client {
			stopped = e.Phase == history.PhaseFrom
		}
	}
	return stopped
}
