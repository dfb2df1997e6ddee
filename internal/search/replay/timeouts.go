package replay

import (
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// The timeouts of a client run while the replayer holds it at a breakpoint, which costs some
// milliseconds per command. Therefore the clients of a replay wait for replies without a limit. The
// replayer tells them to give up when the clients of the record did.

// generous is a timeout that never expires in practice.
const generous = 10 * time.Second

// patient returns the configuration of the clients of a replay. A library cannot be told to give
// up, and keeps its timeouts.
func patient(c *counterexample.Counterexample) workloads.Config {
	w := c.Plan.Worker()
	if c.Plan.Adapter != nil {
		return w
	}
	w.ClientTimeout = max(w.ClientTimeout, history.Duration(generous))
	if c.Plan.Topology == nemesis.Independent {
		w.NodeTimeout = max(w.NodeTimeout, history.Duration(generous))
	}
	return w
}

// gaveUp reports whether a client gave up waiting for a reply.
func gaveUp(s counterexample.Step) bool {
	return s.Kind == counterexample.Recv && waited(s.Loss)
}

// waited reports whether a timeout of a client or a call expired.
func waited(l history.Loss) bool { return l == history.TimedOut || l == history.Expired }
