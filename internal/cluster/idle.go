package cluster

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Idler is a Worker that can tell whether it has nothing to do but wait: for its input, the network or the time.
type Idler interface{ Idle() bool }

// Idle reports whether a client has nothing to do but wait. Known is false where nobody can tell.
func (w *World) Idle(i int) (idle, known bool) {
	c, err := w.client(i)
	if err != nil {
		return false, false
	}
	p, known := c.Worker.(Idler)
	return known && p.Idle(), known
}

// Idle is Idler: every thread of the process sleeps. A thread that is sent something wakes up before whoever sent it goes on, and Go does not let all
// threads sleep while a goroutine can run; so this is what synctest.Wait is in a bubble, whatever the goroutines wait for.
func (c *child) Idle() bool { return idle(c.cmd.Process.Pid) }

func idle(pid int) bool {
	stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(stats) == 0 {
		return true // it is gone
	}
	for _, name := range stats {
		if b, err := os.ReadFile(name); err == nil && !waits(b) {
			return false
		}
	}
	return true
}

// waits reports whether a thread sleeps, is stopped or is gone (proc(5): the state follows the name, which is in parentheses).
func waits(stat []byte) bool {
	i := bytes.LastIndexByte(stat, ')')
	return i < 0 || len(stat) < i+3 || bytes.IndexByte([]byte("STtZX"), stat[i+2]) >= 0
}

var _ Idler = (*child)(nil)
