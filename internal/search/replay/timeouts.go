package replay

import (
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// A client's time-outs run while the replayer holds it at a breakpoint, which costs some
// milliseconds for each command. So the clients of a replay wait for replies as long as they like,
// and give up where those of the record did: the replayer tells them so, at the time of the record.

// generous is a time-out that nothing comes near to.
const generous = 10 * time.Second

// patient is what the clients of a replay are started with.
func patient(c *counterexample.Counterexample) workloads.Config {
	w := c.Plan.Worker()
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

// waited reports whether a time was over for which a client or a call waits.
func waited(l history.Loss) bool { return l == history.TimedOut || l == history.Expired }
