package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/workloads"
)

// Hit is a run with a violation.
type Hit struct {
	Case        simrun.Case
	Seed        uint64
	Run         int // number of the run in the order of seeds, from 1
	Property    string
	Class       string
	Explanation string // explains the violation to people
	Decides     bool   // for R: the violation alone decides a run
	Outside     string // why no lock of its kind can prevent it, or "" if one can
	// The holder's lease ran out while the harness held it at a breakpoint. A search never attributes
	// that to a fault, but a repeated run may show it.
	Stood bool
}

// HitOf repeats a simulated run of `lockbench run` by its plan and returns it as a hit that can be
// shrunk. It returns an error if the plan cannot run or does not violate the property.
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

// sameKind reports whether two hits have the same property and class.
func (h Hit) sameKind(o Hit) bool { return h.Property == o.Property && h.Class == o.Class }

// repeats reports whether the run violates the property again, with programs that have served no
// client before.
func (h Hit) repeats(ctx context.Context) bool {
	r, err := h.Case.Run(ctx)
	if err != nil {
		return false
	}
	_, ok := r.Confirm(h.Property)
	return ok
}

// Shrunk reports the effort of shrinking a case.
type Shrunk struct {
	Runs       int
	Unfinished bool // the budget was used up, so the case may become smaller
}

// Shrink shrinks the case of a hit and returns it as a counterexample. If ctx ends or the budget
// (about ten seconds of CPU time) is used up, it returns the smallest case so far. It shows its
// progress on screen, unless that is nil.
func (h Hit) Shrink(ctx context.Context, screen io.Writer) (*counterexample.Counterexample, Shrunk,
	error) {
	s := &shrinker{ctx: ctx, hit: h, fresh: defaultFresh}
	line := progress.Start(screen, func(took time.Duration) string {
		return fmt.Sprintf("making it small, %.0f s, %d runs, %d%% of the budget", took.Seconds(),
			s.runs.Load(), 100*s.cost.Load()/shrinkBudget)
	})
	small := s.shrink(h.Case)
	line.Stop()
	c, err := small.Settle(context.WithoutCancel(ctx), h.Property)
	if workloads.IsProgram(h.Case.Plan.Impl) && errors.Is(err, simrun.ErrFlaky) {
		// the smaller run needs programs that have served others
		c, err = h.Case.Settle(context.WithoutCancel(ctx), h.Property)
	}
	return c, Shrunk{int(s.runs.Load()), s.exhausted()}, err
}
