package harness

import (
	"math"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// client is what the loop knows of one client.
type client struct {
	next    workloads.Order // the cycle to come
	after   int64           // environment's clock before which it may not begin
	begun   int             // cycles
	working bool            // a cycle is under way
	gone    bool            // its process has ended
	doomed  bool            // the harness has killed it
	waiting bool            // it has invoked an acquire that has not returned
	key     int             // of that acquire
	called  int64           // stamp of the invocation of the latest acquire
	again   bool            // its latest grant was of a lock that it was granted last, too
	hold    leaseTracker    // its hold, while it is inside
	met     bool            // another client has come in since its latest grant, of an optimistic lock
}

// scheduleCycle draws client i's next cycle, to begin no sooner than after.
func (r *run) scheduleCycle(i int, after int64) {
	o, think := r.gen.Next(i)
	r.clients[i].next, r.clients[i].after, r.clients[i].working = o, after+int64(think), false
}

// dispatch begins the cycles whose time has come.
func (r *run) dispatch() {
	now := r.environment.Now()
	for i := range r.clients {
		c := &r.clients[i]
		if c.idle() && c.after <= now && r.may(i) {
			c.working = true
			c.begun++
			r.environment.Send(i, c.next)
		}
	}
}

// may reports whether client i may begin a cycle.
func (r *run) may(i int) bool {
	return !r.through(i) && (!r.quiet || r.only != "" && r.nemesis.means(r.only, i))
}

// through reports whether client i has begun all the cycles that the plan gives it.
func (r *run) through(i int) bool {
	return r.plan.Rounds > 0 &&
		r.clients[i].begun >= r.plan.Rounds
}

// spent reports whether no client will do anything any more: each that lives has done all its
// cycles.
func (r *run) spent() bool {
	for i := range r.clients {
		if c := &r.clients[i]; !c.gone && (c.working || !r.through(i)) {
			return false
		}
	}
	return true
}

func (c *client) idle() bool { return !c.working && !c.gone }

// busy reports whether any client has a cycle under way.
func (r *run) busy() bool {
	for i := range r.clients {
		if r.clients[i].working && !r.clients[i].gone {
			return true
		}
	}
	return false
}

// wake is the environment's clock at which the loop has something to do by itself.
func (r *run) wake() int64 {
	at := min(r.limit, r.nemesis.wake(), r.nemesis.nextLoss(), r.wakeCalm(), r.early.wake())
	for i := range r.clients {
		if r.clients[i].idle() && r.may(i) {
			at = min(at, r.clients[i].after)
		}
	}
	return at
}

// waiter returns a live client that waits for the same lock, or -1. Of two that share a lock
// neither waits for the other; for an optimistic one none waits, and who is inside is a rival.
func (r *run) waiter(s standing) int {
	optimistic := r.plan.Declares().Optimistic
	for i := range r.clients {
		c := &r.clients[i]
		if i != s.process && !c.gone && (c.waiting || optimistic && c.hold.inside) && c.key == s.key &&
			!(r.shares(i) && r.shares(s.process)) {
			return i
		}
	}
	return -1
}

// meet counts the clients inside that meet a rival now, who came in, for the first time.
func (r *run) meet(s standing) (n int) {
	for i := range r.clients {
		c := &r.clients[i]
		if i == s.process {
			c.met = false
		} else if c.hold.inside && c.key == s.key && !c.met {
			c.met = true
			n++
		}
	}
	return n
}

// shares reports whether the cycle of a client is one with a shared hold.
func (r *run) shares(i int) bool { return i >= 0 && r.clients[i].next.Mode == history.Shared }

// never is a wake-up that does not come.
const never = math.MaxInt64
