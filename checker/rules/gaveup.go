package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// renewals finds the renewals that cost their holders a lease.
type renewals struct{ *Case }

func (c *Case) renewals() renewals { return renewals{c} }

// gaveUp returns a holder's last renewal if it failed and the client sent no other, although it ran
// and could reach its server for at least a fifth of the lease until the lease ended. It returns
// nil if the renewal before failed, too: a lock that renews each third of its lease may then have
// no time left. It also returns nil if it is not certain that the command failed and was a renewal.
func (c renewals) gaveUp(h *record.Hold, end int64) *history.Command {
	grant := c.trace.GrantOf(h)
	if grant == nil || c.quorums().independent() || c.extendedByHand(h) {
		return nil
	}
	var last, before *history.Command
	for _, m := range trace.SentSince(c.trace.OfKey(trace.Key(grant)), h.From) {
		if m.Process == h.Process && m.Sent < min(end, h.End) && (m.N == 0 || m.N == h.N) &&
			c.trace.CallOf(m) == nil && !c.trace.Releasing(m) {
			last, before = m, last
		}
	}
	switch {
	case last == nil || trace.Answered(last) || trace.Silent(last) || c.mayFree(last):
		return nil
	case last.Recv == 0 || last.Again > 0 || c.insideWork(last),
		before != nil && !trace.Answered(before):
		return nil
	case c.reachable(h.Process, last, end) < int64(c.history.Header.LeaseOf(h.Process))/5:
		return nil
	}
	return last
}

// extendedByHand reports whether the work inside a hold extended it, and was told how that ended.
func (c renewals) extendedByHand(h *record.Hold) bool {
	return slices.ContainsFunc(c.history.Events, func(e history.Event) bool {
		return e.F == history.ExtendOp && e.Process == h.Process && h.From <= e.T && e.T <= h.End
	})
}

// insideWork reports whether a client sent a command while it read or wrote the guarded resource.
func (c renewals) insideWork(m *history.Command) (inside bool) {
	work := []string{history.ReadOp, history.WriteOp}
	for i := range c.history.Events {
		if e := &c.history.Events[i]; e.Process == m.Process && e.T <= m.Sent &&
			slices.Contains(work, e.F) {
			inside = e.Type == history.Invoke
		}
	}
	return inside
}

// reachable returns for how long no fault and no stall kept a client from its server, from a
// command's failure and all faults of that time until an end. A client may wait for an answer as
// long as its time-out allows, also when the connection has ended. It returns 0 if that is unknown.
func (c renewals) reachable(process int, failed *history.Command, end int64) int64 {
	since, patience := failed.Recv, int64(c.history.Header.ClientTimeout)
	switch {
	case failed.Err != "" && patience == 0:
		return 0
	case failed.Err != "":
		since = max(since, failed.Sent+patience)
	}
	for _, f := range c.faults {
		other, client := f.Client()
		if f.From < end && f.To > failed.Sent && (!client || other == process) {
			since = max(since, f.To)
		}
	}
	lost, _ := c.excuses().lostBetween(process, since, end)
	return end - since - lost
}

// mayFree reports whether a command frees its key, or runs an undescribed script that a release
// also ran.
func (c renewals) mayFree(m *history.Command) bool {
	script := func(m *history.Command) []string { return m.Args[:min(2, len(m.Args))] }
	return c.trace.Frees(m) || c.trace.Undeclared(m) && slices.ContainsFunc(
		c.trace.OfKey(trace.Key(m)), func(o *history.Command) bool {
			return c.trace.Releasing(o) && slices.Equal(script(o), script(m))
		})
}
