package rules

import (
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// deadWaiters returns how many clients ended inside an acquire call before a stamp, if the lock
// lets others wait for them.
func (c *Case) deadWaiters(before int64) int {
	if waits := c.history.Header.Declares.DeadWaiters > 0; !waits {
		return 0
	}
	dead := map[int]bool{}
	for _, e := range c.Record.Marks {
		ended := e.Type == history.Kill || e.Type == history.Exit
		for _, k := range lastCalls(c.Record.Calls, e.Process) {
			if ended && e.T < before && k.Unsure() {
				dead[e.Process] = true
			}
		}
	}
	return len(dead)
}

// lastCalls returns the last acquire call of a client for each lock.
func lastCalls(calls []record.Call, process int) map[int]*record.Call {
	last := map[int]*record.Call{}
	for i := range calls {
		for _, lock := range calls[i].Keys {
			if calls[i].Process == process {
				last[lock] = &calls[i]
			}
		}
	}
	return last
}
