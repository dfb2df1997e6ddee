package replay

import (
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// A client's time-outs run while the replayer holds it at a breakpoint, which costs some
// milliseconds for each command. So the clients of a replay have more patience than those of the
// record: as much as they like if none of them gave up waiting there, and otherwise some that the
// record has room for. A client that gives up later than in the record sleeps less afterwards.

// generous is a time-out that nothing comes near to.
const generous = 10 * time.Second

// patient is what the clients of a replay are started with.
func patient(c *counterexample.Counterexample) workloads.Config {
	w := c.Plan.Worker()
	one, node := generous, generous
	if waited := longestWait(c.Steps); waited > 0 {
		more := longer(c)
		one = max(w.ClientTimeout.D(), waited) + more
		node = max(w.NodeTimeout.D(), waited) + more
	}
	w.ClientTimeout = max(w.ClientTimeout, history.Duration(one))
	if c.Plan.Topology == nemesis.Independent {
		w.NodeTimeout = max(w.NodeTimeout, history.Duration(node))
	}
	return w
}

// longer is how much longer than in the record a client may wait before it gives up: nothing but
// what follows at once happens there in that time, and neither a lease nor the wait for the lock
// ends by it.
func longer(c *counterexample.Counterexample) time.Duration {
	more := min(c.Plan.TTL.D()/4, longestPatience)
	for i, s := range c.Steps {
		if !gaveUp(s) {
			continue
		}
		for _, next := range c.Steps[i+1:] {
			if !gaveUp(next) && next.At > s.At { // what follows at once becomes later, too
				more = min(more, (next.At-s.At).D()*3/4)
				break
			}
		}
	}
	return more
}

// longestPatience is ample for the commands that a client sends at once.
const longestPatience = 300 * time.Millisecond

// longestWait is how long a client waited at most for a reply that did not come; 0: each came.
func longestWait(steps []counterexample.Step) (longest time.Duration) {
	sent := map[[2]int]history.Duration{} // client and seq
	for _, s := range steps {
		key := [2]int{s.Client, s.Seq}
		if s.Kind == counterexample.Send {
			sent[key] = s.At
		} else if gaveUp(s) {
			longest = max(longest, (s.At - sent[key]).D())
		}
	}
	return longest
}

// gaveUp reports whether a client gave up waiting for a reply.
func gaveUp(s counterexample.Step) bool {
	return s.Kind == counterexample.Recv && isTimeout(s.Err)
}

func isTimeout(err string) bool {
	return strings.Contains(err, "timeout") || strings.Contains(err, "deadline exceeded")
}
