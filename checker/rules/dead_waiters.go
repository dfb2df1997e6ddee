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
		if k := lastCall(c.Record.Calls, e.Process); ended && e.T < before && k != nil && k.Unsure() {
			dead[e.Process] = true
		}
	}
	return len(dead)
}

// lastCall returns the last acquire call of a client, or nil.
func lastCall(calls []record.Call, process int) (last *record.Call) {
	for i := range calls {
		if k := &calls[i]; k.Process == process && (last == nil || k.From >= last.From) {
			last = k
		}
	}
	return last
}
