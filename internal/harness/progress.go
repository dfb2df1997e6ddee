package harness

import (
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// progress knows when a run has shown what it can show. The checker decides later, from the record,
// what it was worth.
type progress struct {
	plan      *Plan
	clients   *clients
	violated  bool
	contended int          // acquisitions granted while another client waited
	fault     int64        // stamp of the latest fault event
	served    map[int]bool // keys granted since then, by a command that was sent since then
	last      map[int]int  // the client that was granted each key last
	handovers int          // grants to another client than the last one
	moved     bool         // granted by the new master
	over      int64        // stamp of the end of the scenario
	// stamp of the latest event that may be why a client was not granted the lock
	excuse   int64
	left     int64 // stamp of the latest event of a release
	master   string
	promoted int // how often a replica was
	// stamp of the last time
	promotedAt int64
}

// add counts an event.
func (p *progress) add(e history.Event) {
	if e.F == history.Release {
		p.left = e.T
	}
	switch {
	case e.Type == history.Fault:
		p.fault, p.served = e.T, nil
		if (e.F == nemesis.Promote || e.F == nemesis.Lead) && e.Phase == history.PhaseTo {
			p.master, p.promoted, p.promotedAt = e.Target, p.promoted+1, e.T
		}
	case e.Type == history.Exit && e.Planned:
		p.fault, p.served = e.T, nil // a crash is over when the process is dead
	case e.Type == history.Gap || e.Type == history.Info:
		p.excuse = max(p.excuse, e.T)
	case e.Type == history.OK && e.F == history.Acquire && e.Depth == 0:
		if p.plan.Declares().Optimistic {
			p.contended += p.clients.meet(standing{e.Process, e.KeyOf()})
		} else if p.clients.waiter(standing{e.Process, e.KeyOf()}) >= 0 {
			p.contended++
		}
		p.granted(e)
		p.moved = p.moved || p.byMaster(e)
	}
}

// byMaster reports whether a lock was granted by the server that was promoted last. A grant that
// does not name its node must have been asked for since.
func (p *progress) byMaster(e history.Event) bool {
	if e.Grant != nil && e.Grant.Node != "" {
		return p.master != "" && e.Grant.Node == p.master
	}
	return p.master != "" && p.clients.all[e.Process].called > p.promotedAt
}

// granted notes which lock was granted to whom. After a fault only a grant counts that was asked
// for since, and where a client may enter again what it left behind, only one to another client.
func (p *progress) granted(e history.Event) {
	if p.served == nil {
		p.served = map[int]bool{}
	}
	if p.last == nil {
		p.last = map[int]int{}
	}
	key := e.KeyOf()
	last, before := p.last[key]
	another := before && last != e.Process
	if another {
		p.handovers++
	}
	p.clients.all[e.Process].again = before && !another
	p.last[key] = e.Process
	late := e.Grant != nil && e.Grant.Sent > 0 && e.Grant.Sent < p.fault
	if !late && (another || !before || !p.plan.Declares().Reentrant || p.fault == 0) {
		p.served[key] = true
	}
}

// margin is counted beyond what the checker requires: it judges by stamps, this by arrival.
const margin = 1

// finished reports whether the run may end: the scenario is over, either a violation is certain or
// the evidence is complete, and every lock has been granted again since the last fault, or would
// have been if it ever were. A thorough run looks for all the evidence also when it is violated;
// since it may never come, its time is bounded.
func (r *run) finished() bool {
	if r.environment.Now() >= r.limit || r.plan.Stop && r.progress.violated ||
		r.clients.allFinished() {
		return true
	}
	if !r.nemesis.done() {
		return false
	}
	p, need := r.progress, r.plan.Requires
	enough := p.contended >= need.Contended+margin && p.handovers >= need.Handovers &&
		(p.moved || !need.Failover) || p.violated &&
		!r.plan.Thorough
	served := len(p.served) == r.plan.Keys
	since := time.Duration(r.record.now() - r.calmSince())
	return enough && served || (p.violated || !served) && since > r.patience()
}

// patience is how long a lock that is never granted need be waited for: a deadlock is
// certain before, also where clients were between two calls for some of the time. Without a trace
// of commands only calls that returned show that clients waited in vain.
func (r *run) patience() time.Duration {
	d := r.plan.grantBound(true).D()*5/4 + 200*time.Millisecond
	if r.plan.System() != "" {
		d += r.plan.AcquireTimeout.D()
	}
	return d
}

// calmSince is since when the scenario was over, nothing was done to the environment, no process
// stalled and every outcome was known: what the checker's deadlock by deadline needs (D). It judges
// none while a server is dead for good. What the outage needs then (A), which has the same bound,
// is that no client was inside: that calls end in errors is what it is about.
func (r *run) calmSince() int64 {
	p := r.progress
	if r.nemesis.effects.serverIsDead() && p.master == "" {
		return max(p.fault, p.over, p.left)
	}
	return max(p.fault, p.over, p.excuse)
}

// wakeCalm is when patience is over.
func (r *run) wakeCalm() int64 {
	if at := r.record.epoch + r.calmSince() + int64(r.patience()) + 1; at > r.environment.Now() {
		return at
	}
	return never
}
