package harness

import (
	"math"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// client is the loop's view of one client.
type client struct {
	next    workloads.Order // the next cycle
	after   int64           // environment's clock at which the next cycle may start
	away    int64           // environment's clock until which it begins no cycle
	begun   int             // cycles
	working bool            // a cycle is under way
	late    bool            // it is not ready yet: a step of the scenario launches it
	gone    bool            // its process has ended
	doomed  bool            // the harness has killed it
	waiting bool            // it has invoked an acquire that has not returned
	key     int             // the lock of that acquire
	called  int64           // stamp of the invocation of the latest acquire
	again   bool            // it was also the client that was granted this lock before
	hold    leaseTracker    // its hold, while it is inside
	met     bool            // optimistic lock: another client has come in since its latest grant
}

// clients are the clients of a run, and the cycles that they get.
type clients struct {
	plan        *Plan
	environment Environment
	generator   *workloads.Generator
	declares    history.Declares // promises of the plan's lock
	all         []*client
	quiet       bool                            // no new cycles start
	only        string                          // client that starts cycles although quiet, or ""
	means       func(client string, i int) bool // whether only names client i
}

func newClients(n int) (all []*client) {
	for range n {
		all = append(all, &client{})
	}
	return all
}

// schedule draws client i's next cycle, which starts no sooner than after.
func (s *clients) schedule(i int, after int64) {
	o, think := s.generator.Next(i)
	c := s.all[i]
	c.next, c.working, c.after = o, false, max(after+int64(think), c.away)
}

// leave keeps client i away for longer than a lease, because it gives up its call: what it leaves
// behind is not for its next call then.
func (s *clients) leave(i int) {
	s.all[i].away = s.environment.Now() + int64(s.plan.TTL)*3/2
}

// dispatch begins the cycles whose time has come.
func (s *clients) dispatch() {
	now := s.environment.Now()
	for i, c := range s.all {
		if c.idle() && c.after <= now && s.may(i) {
			c.working = true
			c.begun++
			s.environment.Send(i, c.next)
		}
	}
}

// may reports whether client i may begin a cycle.
func (s *clients) may(i int) bool {
	return !s.isFinished(i) && (!s.quiet || s.only != "" && s.means(s.only, i))
}

// isFinished reports whether client i has begun all the cycles that the plan gives it.
func (s *clients) isFinished(i int) bool {
	return s.plan.Rounds > 0 && s.all[i].begun >= s.plan.Rounds
}

// haveDone reports whether every live client has done n cycles, or has been in a call since before
// a stamp and so may never do them.
func (s *clients) haveDone(n int, before int64) bool {
	for _, c := range s.all {
		done := c.begun > n || c.begun == n && !c.working
		if !done && !c.absent() && !(c.waiting && c.called < before) {
			return false
		}
	}
	return true
}

// allFinished reports whether every live client has done all its cycles.
func (s *clients) allFinished() bool {
	for i, c := range s.all {
		if !c.absent() && (c.working || !s.isFinished(i)) {
			return false
		}
	}
	return true
}

func (c *client) idle() bool { return !c.working && !c.absent() }

// absent reports whether the client is not there: not ready yet, or gone.
func (c *client) absent() bool { return c.late || c.gone }

// busy reports whether any client has a cycle under way.
func (s *clients) busy() bool {
	return slices.ContainsFunc(s.all, func(c *client) bool { return c.working && !c.gone })
}

// wake returns the environment's clock at which the next cycle is to start.
func (s *clients) wake() int64 {
	at := int64(never)
	for i, c := range s.all {
		if c.idle() && s.may(i) {
			at = min(at, c.after)
		}
	}
	return at
}

// send gives an order to a client that lives.
func (s *clients) send(i int, o workloads.Order) {
	if !s.all[i].gone {
		s.environment.Send(i, o)
	}
}

// waiter returns a live client that waits for the same lock, or -1. Two clients that share a lock
// do not wait for each other. No client waits for an optimistic lock: there, a client inside counts
// as a rival.
func (s *clients) waiter(at standing) int {
	optimistic := s.declares.Optimistic
	for i, c := range s.all {
		if i != at.process && !c.gone && (c.waiting || optimistic && c.hold.inside) && c.key == at.key &&
			!(s.shares(i) && s.shares(at.process)) {
			return i
		}
	}
	return -1
}

// meet counts the clients inside that now meet their first rival, the client that just came in.
func (s *clients) meet(at standing) (n int) {
	for i, c := range s.all {
		if i == at.process {
			c.met = false
		} else if c.hold.inside && c.key == at.key && !c.met {
			c.met = true
			n++
		}
	}
	return n
}

// shares reports whether the client's cycle has a shared hold.
func (s *clients) shares(i int) bool { return i >= 0 && s.all[i].next.Mode == history.Shared }

// never is a wake-up that does not come.
const never = math.MaxInt64
