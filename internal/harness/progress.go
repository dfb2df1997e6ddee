package harness

import (
	"maps"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// progress decides when a run has enough evidence to end. The checker judges that evidence later,
// from the record.
type progress struct {
	clients   *clients
	violated  bool
	contended int          // acquisitions granted while another client waited
	fault     int64        // stamp of the latest fault event
	served    map[int]bool // keys granted since that fault by a command that was sent after it
	last      map[int]int  // the client that was granted each key last
	// what a call of unknown outcome may have left behind: no other client was granted it since
	unsure    map[standing]bool
	handovers int   // grants to another client than the last one
	moved     bool  // the new master has granted a lock
	over      int64 // stamp of the end of the scenario
	// stamp of the latest event that may explain why a client was not granted the lock
	excuse   int64
	left     int64 // stamp of the latest event of a release
	master   string
	promoted int // number of promotions
	// stamp of the latest promotion
	promotedAt int64
}

func newProgress(c *clients) *progress {
	return &progress{clients: c, served: map[int]bool{}, last: map[int]int{},
		unsure: map[standing]bool{}}
}

func (p *progress) add(e history.Event) {
	if e.F == history.Release {
		p.left = e.T
	}
	switch {
	case e.Type == history.Fault:
		p.fault = e.T
		clear(p.served)
		if (e.F == nemesis.Promote || e.F == nemesis.Lead) && e.Phase == history.PhaseTo {
			p.master, p.promoted, p.promotedAt = e.Target, p.promoted+1, e.T
		}
	case e.Type == history.Exit && e.Planned:
		p.fault = e.T // a crash is over when the process is dead
		clear(p.served)
	case e.Type == history.Gap:
		p.excuse = max(p.excuse, e.T)
	case e.Type == history.Info:
		p.excuse = max(p.excuse, e.T)
		p.unsure[standing{e.Process, e.KeyOf()}] = true
	case e.Type == history.OK && e.F == history.Acquire && e.Depth == 0:
		if p.clients.declares.Optimistic {
			p.contended += p.clients.meet(standing{e.Process, e.KeyOf()})
		} else if p.clients.waiter(standing{e.Process, e.KeyOf()}) >= 0 {
			p.contended++
		}
		p.granted(e)
		p.moved = p.moved || p.byMaster(e)
	}
}

// byMaster reports whether the server that was promoted last granted a lock. If the grant does not
// name its node, the client must have asked for the lock after the promotion.
func (p *progress) byMaster(e history.Event) bool {
	if e.Grant != nil && e.Grant.Node != "" {
		return p.master != "" && e.Grant.Node == p.master
	}
	return p.master != "" && p.clients.all[e.Process].called > p.promotedAt
}

// granted notes which client was granted which lock. After a fault, a grant counts only if its
// command was sent after the fault. A client can re-acquire a reentrant lock that it left behind
// itself: then the grant must go to another client.
func (p *progress) granted(e history.Event) {
	key := e.KeyOf()
	last, before := p.last[key]
	another := before && last != e.Process
	if another {
		p.handovers++
	}
	p.clients.all[e.Process].again = before && !another
	p.last[key] = e.Process
	maps.DeleteFunc(p.unsure, func(s standing, _ bool) bool {
		return s.key == key && s.process != e.Process
	})
	late := e.Grant != nil && e.Grant.Sent > 0 && e.Grant.Sent < p.fault
	own := p.clients.declares.Reentrant && p.fault != 0 && (before && !another ||
		p.unsure[standing{e.Process, key}])
	if !late && !own {
		p.served[key] = true
	}
}

// margin is added to the number that the checker requires. The checker counts by stamps, and
// progress by the arrival of reports.
const margin = 1

// finished reports whether the run may end. The scenario must be over, and a violation must be
// certain or the evidence complete. Every lock must have been granted again since the last fault,
// or patience for that must be over. A thorough run collects all evidence after a violation as
// well. Since that evidence may never come, patience bounds that time as well. If a client is
// expected to starve, the run lasts for all of its time. Each client does the cycles that the run
// needs.
func (r *run) finished() bool {
	if r.environment.Now() >= r.limit || r.plan.Stop && r.progress.violated ||
		r.clients.allFinished() {
		return true
	}
	if !r.nemesis.done() || r.plan.expectsStarvation() ||
		!r.clients.haveDone(r.cycles(), r.record.now()-r.hangTime()) {
		return false
	}
	p, need := r.progress, r.plan.Requires
	enough := p.contended >= need.Contended+margin && p.handovers >= need.Handovers &&
		(p.moved || !need.Failover) || p.violated &&
		!r.plan.Thorough
	served := len(p.served) == r.plan.Keys
	since := time.Duration(r.record.now() - r.calmSince())
	return enough && served || (p.violated || !served) && since > r.patience
}

// cycles returns the least number of cycles of each client. On real servers that is two or more if
// no scenario runs and holds are shorter than the lease: a lock may fail a client only when it
// calls again.
func (r *run) cycles() int {
	brief := r.plan.Hold < r.plan.TTL && (!r.progress.violated || r.plan.Thorough)
	if brief && len(r.plan.Scenario) == 0 && r.environment.Name() != "sim" {
		return max(2, r.plan.Cycles)
	}
	return r.plan.Cycles
}

// expectsStarvation reports whether the run looks for a client that starves. Only many grants to
// others show that.
func (p *Plan) expectsStarvation() bool { return history.ParseExpectation(p.Expect).Starved }

// patienceOf returns how long a run waits for a lock that is not granted. A deadlock is certain
// before that, even if clients spent some of the time between two calls. Without a trace of
// commands, only calls that returned show that clients waited in vain, so patience is longer.
func patienceOf(p *Plan) time.Duration {
	d := p.grantBound(true).D()*5/4 + 200*time.Millisecond
	switch {
	case p.System() != "":
		d += p.AcquireTimeout.D()
	case p.Declares().Reentrant:
		d += p.TTL.D() // a sleeping waiter learns of a leftover only after a lease
	}
	return d
}

// calmSince returns the stamp since when the scenario is over, nothing was done to the environment,
// no process stalled and every outcome was known. The checker needs such a calm time to judge a
// deadlock (D). While a server is dead for good, it judges an outage (A) instead, with the same
// bound. An outage needs a time without a client inside. Calls that end in errors do not interrupt
// that time, since they are the outage.
func (r *run) calmSince() int64 {
	p := r.progress
	if r.nemesis.effects.serverIsDead() && p.master == "" {
		return max(p.fault, p.over, p.left)
	}
	return max(p.fault, p.over, p.excuse)
}

// wakeCalm returns the environment's clock at which patience is over.
func (r *run) wakeCalm() int64 {
	if at := r.record.epoch + r.calmSince() + int64(r.patience) + 1; at > r.environment.Now() {
		return at
	}
	return never
}
