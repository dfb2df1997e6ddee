package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// Config describes an environment. Package cluster has a similar type for real processes.
type Config struct {
	Topology string // nemesis.Single, Failover or Independent
	Masters  int    // of the topology Independent
	Replicas int    // of each of those masters (0 or 1), or of the topology Failover (0 means 1)
	Clients  int
	Seed     uint64
	Worker   workloads.Config // shared by all workers
	// settings of real servers; the simulator has none of them and refuses all
	RedisConfig []string
	Chooser     Chooser // decides everything that the plan leaves open; default Seeded{Seed}
	// times that a message may take one way, the usual one first; default DefaultLatencies
	Latencies []time.Duration
	Bare      bool // no workers: RunClient gives the clients something to do
	// called by the scheduler for each command that a node executes; may be nil
	Executed func(Execution)
	Effects  bool // record the commands that scripts run, in Execution.Effects
	// called by the scheduler for each change of a key on a node, before Executed; may be nil
	Changed func(Change)
}

// Execution is a command that a node has executed.
type Execution struct {
	T      int64 // virtual time, ns since the environment began
	Client int
	Node   string
	Args   []string
	Reply  []byte // as it goes over the wire; empty for a WAIT without an answer yet
	// the commands that a script has run, if Config.Effects is set
	Effects [][]string
	Wrote   bool // it changed the contents of the node
	Keys    int  // number of the node's keys after it
}

// DefaultLatencies are the times that a message may take: mostly as on one machine, now and then
// much longer.
var DefaultLatencies = []time.Duration{50 * time.Microsecond, 200 * time.Microsecond,
	time.Millisecond, 5 * time.Millisecond}

func (c Config) layout() nemesis.Layout {
	return nemesis.Layout{Topology: c.Topology, Masters: c.Masters, Replicas: c.Replicas}
}

func (c Config) check() error {
	switch {
	case len(c.RedisConfig) > 0:
		return fmt.Errorf("the simulator knows no Redis settings (%s); use --env process for them",
			c.RedisConfig[0])
	case !slices.Contains([]string{"", nemesis.Single, nemesis.Failover, nemesis.Independent},
		c.Topology):
		return fmt.Errorf("the simulator has no topology %q; it has: %s, %s, %s", c.Topology,
			nemesis.Single, nemesis.Failover, nemesis.Independent)
	case c.Topology == nemesis.Independent && c.Masters < 1:
		return fmt.Errorf("the topology %s needs at least one master", c.Topology)
	}
	return nil
}

// Change is a change of a key on a node.
type Change struct {
	engine.Change
	T      int64 // virtual time, ns since the environment began
	Wall   int64 // the node's clock, µs
	Node   string
	Client int // the client whose command made it or met it, otherwise history.Harness
}

// record makes the node's engine report each change of a key to Config.Changed.
func (n *node) record() {
	if n.cfg.Changed == nil {
		return
	}
	n.engine.Changed = func(c engine.Change) {
		client := history.Harness
		if n.runs != nil {
			client = n.runs.client.number
		}
		n.cfg.Changed(Change{c, n.scheduler.Now(), n.clock(), n.name, client})
	}
}
