package cluster

import (
	"runtime"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// Idles reports whether Rest can tell.
func (w *Environment) Idles() bool {
	if runtime.GOOS != "linux" {
		return false // it is read from proc(5)
	}
	for _, c := range w.clients {
		if _, ok := c.Worker.(server.Idler); !ok {
			return false
		}
	}
	return true
}

// Rest waits until a client has nothing to do but wait, for at most d, and reports whether it has.
// A client that is paused or gone has nothing to do.
func (w *Environment) Rest(i int, d time.Duration) bool {
	c, err := w.client(i)
	if err != nil {
		return true
	}
	p, ok := c.Worker.(server.Idler)
	for end := time.Now().Add(d); ok && !p.Idle(); proc.Nap() {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// Wake makes Next return an empty report, for a caller that waits there for something that no
// client reports. It may be called from any goroutine.
func (w *Environment) Wake() { w.tell(workloads.Report{Process: history.Harness}) }
