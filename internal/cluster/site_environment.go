package cluster

import (
	"net"
	"strconv"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/workloads"
)

// startSite makes the place of the proxies, if this process is none.
func (w *Environment) startSite() (err error) {
	if w.site, err = w.cfg.Launcher.Site(); err == nil && w.site != nil {
		go w.listenTo(w.site)
	}
	return err
}

func (w *Environment) endSite() error {
	if w.site == nil {
		return nil
	}
	return w.site.close()
}

// Settle gives a server its door at a site, and its address there.
func (c *NodeConfig) Settle(s *Site) (err error) {
	if c.Door, err = s.Door(c.Name); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(c.Door.outer)
	c.Host, c.Dir = host, c.Door.Dir()
	c.Port, _ = strconv.Atoi(port)
	return err
}

// listenTo passes on what the proxies' site says: that it did not run for a while, or its end,
// which nobody has planned.
func (w *Environment) listenTo(s *Site) {
	for word := range s.Words {
		w.stalled(Monotonic(), word.Late)
	}
	w.tell(workloads.Report{Process: history.Harness, Exit: &workloads.Exit{T: Monotonic(),
		Node: "proxies", Err: "the container of the proxies is gone"}})
}
