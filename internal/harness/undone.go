package harness

import (
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// undone returns the first step that was not done and without which the scenario proves nothing. If
// all steps were done but injected no fault and met no client, it returns the first step. Otherwise
// it returns nil. An await with a time limit may meet no client, since a lock may rightly deny the
// awaited event.
func (r *run) undone() *history.Undone {
	c := r.nemesis
	if len(c.steps) == 0 || !nemesis.MustHappen(r.plan.Nemesis) {
		return nil
	}
	at, idle := c.at, false
	if c.done() {
		if c.effects.nextID > 0 || c.anyMet {
			return nil
		}
		at, idle = 0, true
	}
	return &history.Undone{Step: at + 1, Of: len(c.steps), What: c.steps[at].Words(), Idle: idle}
}
