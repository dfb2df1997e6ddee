package harness

import "github.com/lockbench/lockbench/workloads"

// early describes two clients that seem to be inside the same lock at once, when the run waits for
// nothing else. It is certain only after both have left. So they leave as soon as a picture can
// show the overlap, not at the end of their holds. The older one leaves first, since its release
// may harm the other's key.
type early struct {
	older, younger int
	at             int64 // environment's clock at which the older one is told to leave
	told           bool
}

// seen divides the hold: two clients are inside together for hold/seen before they are told to
// leave.
const seen = 4

// hasten tells clients to leave as early says. It does nothing in the simulator, where time costs
// nothing.
func (r *run) hasten() {
	if p := r.plan.Declares(); r.plan.Thorough || r.environment.Name() == "sim" || p.Shared ||
		p.ChecksWrites() || !r.nemesis.done() || len(r.progress.served) < r.plan.Keys {
		return
	}
	e := r.early
	if e == nil {
		r.early = r.clients.together()
		return
	}
	leave := workloads.Order{Do: workloads.DoLeave}
	older := r.clients.all[e.older]
	switch {
	case !e.told && (r.environment.Now() >= e.at || !older.hold.inside):
		e.told = true
		r.environment.Send(e.older, leave)
	case e.told && !older.working:
		r.early = nil
		r.environment.Send(e.younger, leave)
	}
}

// together looks for two clients that seem to be inside the same lock.
func (s *clients) together() *early {
	for i, a := range s.all {
		for j, b := range s.all {
			if i != j && a.inside() && b.inside() && a.key == b.key && a.hold.since <= b.hold.since {
				return &early{older: i, younger: j, at: s.environment.Now() + int64(s.plan.Hold/seen)}
			}
		}
	}
	return nil
}

// inside reports whether the client lives and holds a lock.
func (c *client) inside() bool { return !c.gone && c.hold.inside }

// wake returns the environment's clock at which the older one is to leave.
func (e *early) wake() int64 {
	if e == nil || e.told {
		return never
	}
	return e.at
}
