package cluster

import (
	"context"
	"fmt"
	"time"

	toxi "github.com/Shopify/toxiproxy/v2/client"
)

// find returns the number of a node.
func (w *World) find(node string) (int, error) {
	for i, n := range w.nodes {
		if n.Name == node {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no node %q", node)
}

// KillNode ends a node with SIGKILL and returns when it is gone.
func (w *World) KillNode(node string) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	w.killed.Store(node, true)
	w.nodes[i].Kill()
	return nil
}

// Promote tells a replica to be a master (REPLICAOF NO ONE).
func (w *World) Promote(node string) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	return w.admins[i].Do(context.Background(), "REPLICAOF", "NO", "ONE").Err()
}

// Barrier waits until the replica has all that the first master was told.
func (w *World) Barrier() error { return barrier(w.admins[0], len(w.nodes)-1) }

// Cut makes a link drop data. Connections stay, new ones can be made, and an end that closes is noticed at the other:
// the proxy passes FIN and RST.
func (w *World) Cut(link, mode string) error {
	streams, err := directions(mode)
	if err != nil {
		return err
	}
	return w.proxies.toxic(link, "timeout", streams, toxi.Attributes{"timeout": 0})
}

// Delay holds everything that is sent over a link for d.
func (w *World) Delay(link string, d time.Duration) error {
	return w.proxies.toxic(link, "latency", []string{"upstream", "downstream"}, toxi.Attributes{"latency": d.Milliseconds()})
}

// Heal makes a link whole.
func (w *World) Heal(link string) error { return w.proxies.heal(link) }

// KillClient ends a worker with SIGKILL and returns when its last report has been passed on.
func (w *World) KillClient(i int) error {
	if i < 0 || i >= len(w.clients) {
		return fmt.Errorf("there is no client %d", i)
	}
	w.clients[i].kill()
	return nil
}
