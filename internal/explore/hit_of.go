package explore

import (
	"context"
	"fmt"

	"github.com/lockbench/lockbench/internal/harness"
)

// HitOf does a run of the simulator again by its plan, as `lockbench run` did it, and returns it as
// a hit on a property that it violates, ready to be made small. The error says that it cannot run,
// or that the property is not violated in it.
func HitOf(ctx context.Context, p harness.Plan, property string) (Hit, error) {
	chooser, answers := dice(Timed, p.Seed)
	r, err := job{plan: p, chooser: chooser}.run(ctx)
	if err != nil {
		return Hit{}, err
	}
	v, ok := r.confirm(property)
	if !ok {
		return Hit{}, fmt.Errorf("%s is not violated when the run is done again: %s", property, v.Reason)
	}
	return Hit{Case: Case{p, Timed, answers}, Seed: p.Seed, Property: property, Class: v.Class,
		Words: v.Explanation}, nil
}
