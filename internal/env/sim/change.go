package sim

import (
	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/internal/history"
)

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
