package replay

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/nemesis"
)

// Possible returns an error if a counterexample cannot be replayed on real servers yet.
func Possible(c *counterexample.Counterexample) error {
	p := c.Plan
	switch {
	case p.Topology == nemesis.Sentinel:
		return notYet("an election by sentinels cannot be held up at a breakpoint")
	case p.Topology == nemesis.Cluster:
		return notYet("a vote of a cluster cannot be held up at a breakpoint")
	case slices.ContainsFunc(c.Steps, func(s counterexample.Step) bool {
		return s.Kind == counterexample.Fault && s.Fault.Do == nemesis.Suspend
	}):
		return notYet("a suspended machine: the monotonic clock of a process stops only while this " +
			"whole machine is suspended")
	case p.WaitReplicas > 0:
		return notYet("--wait-replicas: when replicas confirm is not in the record")
	case p.ClientRetries > 0:
		return notYet("--client-retries: what the Redis client resends by itself is not in the record")
	case p.Leases.Least(p.TTL).D() < shortest:
		return notYet(fmt.Sprintf("a lease of %v: a few steps on real servers take as long",
			p.Leases.Least(p.TTL)))
	case wakesInTheLastMillisecond(c):
		return notYet("a subscriber that asks again in the last millisecond of a lease: " +
			"when it wakes is up to the machine")
	case tooMany(c.Steps):
		return notYet(fmt.Sprintf("more than %d steps in a second: each takes real servers a "+
			"millisecond or two", mostSteps))
	case comparesInAMillisecond(c):
		return notYet("a client that compares its clock with the end of a lease in less than a " +
			"millisecond: which comes first is up to the machine")
	case p.Adapter != nil && meetsLastMillisecond(c):
		return notYet("a command of a library in the last millisecond of a lease: a library acts at " +
			"its own time, and the replay cannot make it sooner")
	}
	return promotes(c)
}

// wakesInTheLastMillisecond reports whether a subscriber learns at the end of the record that a
// lease has 0 ms left. A replay cannot shorten its wait by the replay's delay, and less than a
// millisecond decides.
func wakesInTheLastMillisecond(c *counterexample.Counterexample) bool {
	subscribed := map[int]bool{}
	for i, s := range c.Steps {
		switch {
		case s.Kind == counterexample.Exec && subscribes(strings.Split(s.Command, " ")[0]):
			subscribed[s.Client] = true
		case s.Kind == counterexample.Recv && subscribed[s.Client] && tellsNothingLeft(s.Reply) &&
			!slices.ContainsFunc(c.Steps[i+1:], func(next counterexample.Step) bool {
				return next.Kind == counterexample.Recv && next.Client == s.Client
			}):
			return true
		}
	}
	return false
}

// meetsLastMillisecond reports whether a node executes a command less than a millisecond before a
// lease that was granted earlier ends.
func meetsLastMillisecond(c *counterexample.Counterexample) bool {
	for i, s := range c.Steps {
		over := s.At + c.Plan.Leases.ForClient(s.Client, c.Plan.TTL)
		for _, t := range c.Steps[i+1:] {
			if left := over - t.At; grantsLease(s) && t.Kind == counterexample.Exec &&
				left > 0 && left < history.Duration(time.Millisecond) {
				return true
			}
		}
	}
	return false
}

// tellsNothingLeft reports whether a reply says that a lease ends in less than a millisecond.
func tellsNothingLeft(reply string) bool { return reply == "0" || reply == "[0 -1]" }

// promotes returns an error if a failover cannot be replayed. The file does not contain the writes
// in flight to a replica, so the simulator repeats the run.
func promotes(c *counterexample.Counterexample) error {
	if !slices.ContainsFunc(c.Steps, func(s counterexample.Step) bool {
		return s.Fault != nil && s.Fault.Do == nemesis.Promote
	}) {
		return nil
	}
	r, err := simrun.CaseOf(c).Run(context.Background())
	if err != nil {
		return fmt.Errorf("the simulator cannot run it: %w", err)
	}
	if r.Overtaken {
		return notYet("a failover whose replica misses a write that was still under way; " +
			"only one that the link has dropped can be arranged")
	}
	return nil
}

// shortest is the shortest lease that leaves time for a few steps. A step takes about a millisecond
// on a busy machine.
const shortest = 20 * time.Millisecond

func notYet(what string) error {
	return fmt.Errorf("not replayable on real Redis yet: %s", what)
}

// mostSteps is how many steps real servers and clients can do in a second, one after the other. A
// step takes them one or two milliseconds.
const mostSteps = 1000

// tooMany reports whether some second has more steps than real servers and clients can do.
func tooMany(steps []counterexample.Step) bool {
	for i, s := range steps[min(mostSteps, len(steps)):] {
		if s.At-steps[i].At < history.Duration(time.Second) {
			return true
		}
	}
	return false
}

// clockReading is the latest time at which a client read its clock, according to its commands.
type clockReading struct {
	ms        float64 // the value that it sent: the end of a lease that starts then
	sent      history.Duration
	at        history.Duration // time of the latest command
	acquiring bool             // one reading serves a whole attempt
}

// comparesInAMillisecond reports whether a client compares its clock with the end of a lease that
// is less than a millisecond away. On real servers the comparison may have either result.
func comparesInAMillisecond(c *counterexample.Counterexample) bool {
	clients := map[int]*clockReading{}
	for _, s := range c.Steps {
		k := clients[s.Client]
		if k == nil {
			k = &clockReading{}
			clients[s.Client] = k
		}
		switch s.Kind {
		case counterexample.Mark:
			k.acquiring = s.Phase == counterexample.Acquire
		case counterexample.Send:
			k.sends(s)
		case counterexample.Recv:
			end, _, ok := readings(s.Reply, s.Reply)
			if ok && k.ms > 0 && math.Abs(k.now(c.Plan.Leases.ForClient(s.Client, c.Plan.TTL))-end) < 1 {
				return true
			}
		}
	}
	return false
}

func (k *clockReading) sends(s counterexample.Step) {
	k.at = s.At
	words := strings.Fields(s.Command)
	if len(words) == 0 {
		return
	}
	last := words[len(words)-1]
	if ms, _, ok := readings(last, last); ok {
		k.ms, k.sent = ms, s.At
	}
}

// now returns the client's clock at the time of its comparison, in ms.
func (k *clockReading) now(lease history.Duration) float64 {
	since := k.at - k.sent
	if k.acquiring {
		since = 0
	}
	return k.ms - float64((lease-since).D())/float64(time.Millisecond)
}
