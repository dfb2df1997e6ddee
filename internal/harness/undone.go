package harness

import (
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// undone is the step without which the scenario proves nothing, or nil: the first one that was not
// done, or, where no step injected anything and none met a client, the first of all. An await with
// a time may be in vain as long as anything else happened: a lock may rightly deny what it waits
// for.
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
