package cluster

import (
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
)

// counter is a server that counts the keys that go.
type counter interface {
	Counters() (history.Counters, error)
}

// Counters are those of the masters that have run since the begin. A replica also counts what its
// master deleted, and a server that was killed has forgotten what it counted.
func (w *Environment) Counters() (all []history.Counters) {
	for _, n := range w.nodes {
		_, external := n.Server.(server.ExternalServer)
		c, counts := n.operator.(counter)
		if external || !counts || n.ReplicaOf != "" || n.again || isClosed(n.Done()) || n.Stopped() {
			continue
		}
		if known, err := c.Counters(); err == nil {
			known.Node = n.Name
			all = append(all, known)
		}
	}
	return all
}
