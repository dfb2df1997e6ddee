package explore

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// Hit is a run with a violation, as it was found.
type Hit struct {
	Case        simrun.Case
	Seed        uint64
	Run         int // which of the runs of the search it was, in the order of seeds, from 1
	Property    string
	Class       string
	Explanation string // of the violation, for people
	Decides     bool   // of R: the violation decides a run by itself
	// the holder's lease ran out while the harness let it stand at a breakpoint, which a search never
	// puts down to a fault, but a run that is done again may show
	Stood bool
}

// HitOf does a run of the simulator again by its plan, as `lockbench run` did it, and returns it as
// a hit on a property that it violates, ready to be made small. The error says that it cannot run,
// or that the property is not violated in it.
func HitOf(ctx context.Context, p harness.Plan, property string) (Hit, error) {
	chooser, answers := randomChooser(Random, p, p.Seed)
	r, err := simrun.Job{Plan: p, Chooser: chooser}.Run(ctx)
	if err != nil {
		return Hit{}, err
	}
	v, ok := r.Confirm(property)
	if !ok {
		return Hit{}, fmt.Errorf("%s is not violated when the run is done again: %s", property, v.Reason)
	}
	return Hit{Case: simrun.Case{Plan: p, Schedule: counterexample.Timed, Deviations: answers},
		Seed: p.Seed, Property: property, Class: v.Class, Explanation: v.Explanation,
		Decides: v.Decides, Stood: r.OfTheHarness(v)}, nil
}

// Shrunk says what it took to make a case small.
type Shrunk struct {
	Runs       int
	Unfinished bool // the budget was used up; it may become smaller
}

// Shrink makes the case of a hit small and returns it as a counterexample. If ctx ends meanwhile,
// or the budget of some ten seconds of a processor is used up, it is the smallest so far.
func (h Hit) Shrink(ctx context.Context) (*counterexample.Counterexample, Shrunk, error) {
	return h.shrink(ctx, nil)
}

// shrink is Shrink, and shows on a terminal how far it has come.
func (h Hit) shrink(ctx context.Context, screen io.Writer) (*counterexample.Counterexample, Shrunk,
	error) {
	s := &shrinker{ctx: ctx, property: h.Property, class: h.Class, stood: h.Stood,
		decides: h.Decides,
		fresh:   defaultFresh}
	line := progress.Start(screen, func(took time.Duration) string {
		return fmt.Sprintf("making it small, %.0f s, %d runs, %d%% of the budget", took.Seconds(),
			s.runs.Load(), 100*s.cost.Load()/shrinkBudget)
	})
	small := s.shrink(h.Case)
	line.Stop()
	c, err := small.Settle(context.WithoutCancel(ctx), h.Property)
	return c, Shrunk{int(s.runs.Load()), s.over()}, err
}

// Settle returns the hit as a counterexample without making it small.
func (h Hit) Settle(ctx context.Context) (*counterexample.Counterexample, error) {
	return h.Case.Settle(ctx, h.Property)
}
