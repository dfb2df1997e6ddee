package cluster

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/workloads"
)

// Idler is a Worker that can tell whether it has nothing to do but wait: for its input, the network
// or the time.
type Idler interface{ Idle() bool }

// Idles reports whether Rest can tell.
func (w *Environment) Idles() bool {
	if runtime.GOOS != "linux" {
		return false // it is read from proc(5)
	}
	for _, c := range w.clients {
		if _, ok := c.Worker.(Idler); !ok {
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
	p, ok := c.Worker.(Idler)
	for end := time.Now().Add(d); ok && !p.Idle(); nap() {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// Wake makes Next return an empty report, for whoever waits there for something that no client
// reports. It may be called from any goroutine.
func (w *Environment) Wake() { w.tell(workloads.Report{Process: history.Harness}) }

// Idle is Idler: every thread of the process sleeps. A thread that is sent something wakes up
// before whoever sent it goes on, and Go does not let all threads sleep while a goroutine can run;
// so this is what synctest.Wait is in a bubble, whatever the goroutines wait for. One thread may
// have woken another while it was looked at a third, hence the second look.
func (c *child) Idle() bool {
	for range 2 {
		if !idle(c.cmd.Process.Pid) {
			return false
		}
	}
	return true
}

func idle(pid int) bool {
	dir := fmt.Sprintf("/proc/%d/task/", pid)
	threads, err := os.ReadDir(dir)
	if err != nil {
		return true // it is gone
	}
	for _, t := range threads {
		if b, err := os.ReadFile(dir + t.Name() + "/stat"); err == nil && !waits(b) {
			return false
		}
	}
	return true
}

// waits reports whether a thread sleeps, is stopped or is gone (proc(5): the state follows the
// name, which is in parentheses).
func waits(stat []byte) bool {
	i := bytes.LastIndexByte(stat, ')')
	return i < 0 || len(stat) < i+3 || bytes.IndexByte([]byte("STtZX"), stat[i+2]) >= 0
}
