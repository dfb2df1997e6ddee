package cluster

import (
	"fmt"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// startFronts starts what stands before the nodes, if their kind has that.
func (w *Environment) startFronts() error {
	for _, n := range w.nodes {
		c, ok := server.FrontOf(n.NodeConfig)
		if !ok {
			return nil
		}
		f, err := w.launch(c)
		if err != nil {
			return err
		}
		w.fronts = append(w.fronts, f)
	}
	if err := ready(w.fronts); err != nil {
		return err
	}
	for _, f := range w.fronts {
		v, err := f.operator.Version()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		w.versions[f.Kind.Name()] = v
		go w.guard(f.Name, f.Server)
	}
	return nil
}

// entrance is where clients are let in to a node: its front, or the node itself.
func (w *Environment) entrance(n *node) string {
	for i, f := range w.fronts {
		if w.nodes[i] == n {
			return f.Own()
		}
	}
	return n.Own()
}
