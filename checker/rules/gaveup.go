package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// gaveUp returns the failed renewal that cost a holder its lease, or nil. Its client sent no other,
// although it ran and could reach its server for a fifth of the lease or longer until the end. A
// lock of which several renewals in a row failed may have tried as often as it should.
func (c keyFacts) gaveUp(h *record.Hold, end int64) *history.Command {
	grant := c.trace.GrantOf(h)
	if grant == nil || c.quorums().independent() || c.extendedByHand(h) {
		return nil
	}
	var last, before *history.Command
	for _, m := range sentSince(c.trace.OfKey(trace.Key(grant)), h.From) {
		if m.Process == h.Process && m.Sent < min(end, h.End) {
			last, before = m, last
		}
	}
	switch {
	case last == nil || trace.Answered(last) || trace.Silent(last):
		return nil
	case last.Recv == 0 || before != nil && !trace.Answered(before):
		return nil
	case c.excuses().reachable(h.Process, last, end) < int64(c.history.Header.LeaseOf(h.Process))/5:
		return nil
	}
	return last
}

// extendedByHand reports whether the work inside a hold extended it, and was told how that ended.
func (c keyFacts) extendedByHand(h *record.Hold) bool {
	return slices.ContainsFunc(c.history.Events, func(e history.Event) bool {
		return e.F == history.ExtendOp && e.Process == h.Process && h.From <= e.T && e.T <= h.End
	})
}

// reachable returns for how long no fault and no stall kept a client from its server, from a
// command's failure and all faults of that time until an end. A client may wait for an answer as
// long as its time-out allows, also when the connection has ended. It returns 0 if that is unknown.
func (c excuses) reachable(process int, failed *history.Command, end int64) int64 {
	since, patience := failed.Recv, int64(c.history.Header.ClientTimeout)
	switch {
	case failed.Err != "" && patience == 0:
		return 0
	case failed.Err != "":
		since = max(since, failed.Sent+patience)
	}
	for i := range c.faults {
		f := &c.faults[i]
		other, client := f.Client()
		if f.From < end && f.To > failed.Sent && (!client || other == process) {
			since = max(since, f.To)
		}
	}
	lost, _ := c.lostBetween(process, since, end)
	return end - since - lost
}
