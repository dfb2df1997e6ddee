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
	Client int // whose command made it or met it; history.Harness: no client's
}

// record lets the node's engine tell Config.Changed of each change of a key.
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
