package cluster

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/workloads"
)

// watch reports when this process did not run for a while: the proxies live in it, or what speaks
// for them.
func (w *Environment) watch() { stalls(w.ended, w.stalled) }

func (w *Environment) stalled(t int64, d time.Duration) {
	w.tell(workloads.Report{Process: history.Harness, Event: &history.Event{Type: history.Gap, T: t,
		Process: history.Harness, Gap: history.Duration(d)}})
}

// stalls calls f whenever this process did not run for a while, with the time when it ran again,
// until end is closed.
func stalls(end <-chan struct{}, f func(t int64, late time.Duration)) {
	const tick, limit = 10 * time.Millisecond, 20 * time.Millisecond
	t := time.NewTicker(tick)
	defer t.Stop()
	for last := Monotonic(); ; {
		select {
		case <-end:
			return
		case <-t.C:
		}
		now := Monotonic()
		if late := time.Duration(now-last) - tick; late > limit {
			f(now, late)
		}
		last = now
	}
}

// observe asks a node for its version and follows its command stream, around the proxies.
func (w *Environment) observe(n *Node) error {
	i, err := w.find(n.Name)
	if err != nil {
		return err
	}
	if w.versions["redis"], err = version(w.admins[i]); err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	if _, ok := n.Server.(present); ok {
		return nil // MONITOR would slow it down for others
	}
	m, err := monitor(n.Addr(), filepath.Join(w.cfg.Dir, "nodes", n.Name+".jsonl"))
	if err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	w.monitors = append(w.monitors, m)
	go w.guard(n)
	return nil
}

// guard reports a node that ended although nobody killed it.
func (w *Environment) guard(n *Node) {
	select {
	case <-w.ended:
	case <-n.Done():
		if _, planned := w.killed.Load(n); !planned {
			w.tell(workloads.Report{Process: history.Harness, Exit: &workloads.Exit{T: Monotonic(),
				Node: n.Name, Err: n.Err().Error()}})
		}
	}
}
