package explore

import (
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// Draw returns a function that returns the run of a seed and the name of its schedule, without
// using anything learned from earlier runs. It returns an error if the lock or the simulator does
// not support the fault.
func (s Search) Draw() (func(seed uint64) (simrun.Job, string), error) {
	f := &searching{Search: s}
	if err := f.prepare(); err != nil {
		return nil, err
	}
	return func(seed uint64) (simrun.Job, string) {
		n := int(seed)
		a := &attempt{seed: seed, number: n % len(f.plans),
			schedule: f.turns.members[n/len(f.plans)%len(f.turns.members)]}
		f.plan(a)
		chooser, _ := randomChooser(a.schedule, a.plan, a.plan.Seed)
		return simrun.Job{Plan: a.plan, Chooser: chooser}, a.schedule
	}, nil
}
