package cluster

import "os"

// StartNode starts a killed node at its old address, with the files that it left behind, and
// returns when it answers. What is in them is up to its settings: Redis keeps nothing by default.
func (w *Environment) StartNode(name string) error {
	return w.on(name, func(n *node) (err error) {
		if err := w.scratch.Vanished(); err != nil {
			return err
		}
		if n.Server, err = w.cfg.Launcher.Launch(n.NodeConfig); err != nil {
			return err
		}
		n.again = true
		w.ensemble.started(n.Name, n.Server)
		if err := n.Ready(); err != nil {
			return err
		}
		return w.observe(n)
	})
}

// LoseDisk removes the files that a killed node left behind.
func (w *Environment) LoseDisk(name string) error {
	return w.on(name, func(n *node) error {
		if w.remote != nil {
			return w.remote.Wipe(name)
		}
		return os.RemoveAll(n.Dir)
	})
}
