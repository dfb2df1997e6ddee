package cluster

import (
	"os"

	"github.com/lockbench/lockbench/internal/cluster/server"
)

// ReviveNode starts a killed node at its old address, with the files that it left behind, and
// returns when it answers. What is in them is up to its settings: by default nothing.
func (w *Environment) ReviveNode(node string) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	n, err := w.launch(w.nodes[i].NodeConfig)
	if err != nil {
		return err
	}
	w.nodes[i] = n
	if err := n.Ready(); err != nil {
		return err
	}
	return w.observe(n)
}

// wipe makes a node that was killed forget what it had on its disk.
func (w *Environment) wipe(node string) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	if w.remote != nil {
		return w.remote.Wipe(node)
	}
	return os.RemoveAll(w.nodes[i].Dir)
}

// launch starts a server.
func (w *Environment) launch(c server.NodeConfig) (*server.Node, error) {
	s, err := w.cfg.Launcher.Launch(c)
	if err != nil {
		return nil, err
	}
	if own, ok := s.(server.ExternalServer); ok {
		own.Settle(&c)
	}
	return &server.Node{NodeConfig: c, Server: s}, nil
}
