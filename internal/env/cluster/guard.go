package cluster

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// watch reports when this process did not run for a while: the proxies live in it, or what speaks
// for them.
func (w *Environment) watch() { proc.Stalls(w.ended, w.stalled) }

func (w *Environment) stalled(t int64, d time.Duration) {
	w.tell(workloads.Report{Process: history.Harness, Event: &history.Event{Type: history.Gap, T: t,
		Process: history.Harness, Gap: history.Duration(d)}})
}

// keepEvery is how often the folder of the nodes is looked at.
const keepEvery = 100 * time.Millisecond

// keep reports when the folder of the nodes was removed by another program: a node that comes back
// would have lost what it kept there, and not by a fault of the run.
func (w *Environment) keep() {
	w.every(keepEvery, func() bool {
		err := w.scratch.Vanished()
		if err != nil {
			w.broke(nodeName(0), err.Error())
		}
		return err == nil
	})
}

// every calls f again and again until the environment ends or f returns false.
func (w *Environment) every(d time.Duration, f func() bool) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-w.ended:
			return
		case <-t.C:
		}
		if !f() {
			return
		}
	}
}

// system is by what name the version of the nodes is told.
func (w *Environment) system() string {
	if w.cfg.System == nil {
		return "redis"
	}
	return w.cfg.System.Name()
}

// observe asks a node for its version and follows its command stream, around the proxies.
func (w *Environment) observe(n *node) (err error) {
	if w.versions[w.system()], err = n.operator.Version(); err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	if w.cfg.System != nil { // it has no stream of commands
		go w.guard(n.Name, n.Server)
		go w.probe(n)
		return nil
	}
	if _, ok := n.Server.(server.ExternalServer); ok {
		return nil // MONITOR would slow it down for others
	}
	m, err := server.Monitor(n.Addr(), filepath.Join(w.cfg.Dir, "nodes", n.Name+".jsonl"))
	if err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	w.monitors = append(w.monitors, m)
	go w.guard(n.Name, n.Server)
	return nil
}

// guard reports a node that ended although the harness did not kill it.
func (w *Environment) guard(name string, s server.Server) {
	select {
	case <-w.ended:
	case <-s.Done():
		if _, planned := w.killed.Load(s); !planned {
			w.broke(name, s.Err().Error())
		}
	}
}

// broke reports that a node does not do what the run needs, although no fault made it so.
func (w *Environment) broke(node, why string) {
	w.tell(workloads.Report{Process: history.Harness, Exit: &workloads.Exit{T: proc.Monotonic(),
		Node: node, Err: why}})
}
