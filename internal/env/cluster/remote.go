package cluster

import (
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
)

// startRemote makes the place of the proxies, if this process is none.
func (w *Environment) startRemote() (err error) {
	if w.remote, err = w.cfg.Launcher.Remote(); err == nil && w.remote != nil {
		go w.listenTo(w.remote)
	}
	return err
}

func (w *Environment) endRemote() error {
	if w.remote == nil {
		return nil
	}
	return w.remote.Close()
}

// listenTo passes on what the remote proxies say: that they did not run for a while, or their end,
// which no fault asked for.
func (w *Environment) listenTo(s *proxy.Remote) {
	for m := range s.Messages {
		w.stalled(proc.Monotonic(), m.Late)
	}
	w.broke("proxies", "the container of the proxies is gone")
}
