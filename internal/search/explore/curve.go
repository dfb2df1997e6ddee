package explore

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// The budget of a curve: the largest and smallest number of runs for each point, and the largest
// number of points. If the runs are expensive, there are fewer for each point, so that a curve
// takes only seconds of CPU time. As in shrinking, cost is counted in commands.
const (
	curveRuns   = 200
	curveFewest = 20
	curvePoints = 14
	curveBudget = 120_000
)

// curve measures how likely the violation of a counterexample was after each of its steps. It
// returns nil if ctx ends. It shows its progress on screen, unless that is nil.
func curve(ctx context.Context, x *counterexample.Counterexample, jobs int,
	screen io.Writer) *counterexample.Curve {
	var commands, ran atomic.Int64
	count := func(sim.Execution) { commands.Add(1) }
	forkAt(ctx, x, len(x.Steps), 0, count)
	steps := evenly(len(x.Steps), curvePoints)
	each := curveBudget / (runCost + int(commands.Load())) / (len(steps) + curvePoints/2)
	runs := min(max(each, curveFewest), curveRuns)
	line := progress.Start(screen, func(took time.Duration) string {
		return fmt.Sprintf("asking which step decided it, %.0f s, %d of at most %d runs", took.Seconds(),
			ran.Load(), runs*(len(steps)+curvePoints/2))
	})
	defer line.Stop()
	points := measure(ctx, x, steps, runs, jobs, &ran)
	if between := jump(points); len(between) > 0 {
		points = append(points, measure(ctx, x, between, runs, jobs, &ran)...)
		slices.SortFunc(points, func(a, b counterexample.Point) int { return a.Steps - b.Steps })
	}
	if ctx.Err() != nil {
		return nil
	}
	return counterexample.NewCurve(runs, points)
}

// evenly returns at most so many evenly spaced numbers from 0 to last, including both.
func evenly(last, most int) (all []int) {
	n := min(last, most-1)
	for i := range n {
		all = append(all, i*last/n)
	}
	return append(all, last)
}

// jump returns steps between the two neighbouring points that differ most, because the violation
// was decided there.
func jump(points []counterexample.Point) (between []int) {
	at, most := -1, 0
	for i := 1; i < len(points); i++ {
		if rise := points[i].Violations - points[i-1].Violations; rise > most {
			at, most = i, rise
		}
	}
	if at < 0 {
		return nil
	}
	from, to := points[at-1].Steps, points[at].Steps
	for _, i := range evenly(to-from, curvePoints/2) {
		if i > 0 && from+i < to {
			between = append(between, from+i)
		}
	}
	return between
}

// measure counts the violations at each of the steps.
func measure(ctx context.Context, x *counterexample.Counterexample, steps []int, runs,
	jobs int, ran *atomic.Int64) []counterexample.Point {
	found := make([]atomic.Int64, len(steps))
	all := func(yield func(int) bool) {
		for i := range len(steps) * runs {
			if !yield(i) {
				return
			}
		}
	}
	pool.Each(ctx, jobs, all, func(i int) {
		if forkAt(ctx, x, steps[i/runs], uint64(i%runs)+1, nil) {
			found[i/runs].Add(1)
		}
		ran.Add(1)
	})
	points := make([]counterexample.Point, len(steps))
	for i, s := range steps {
		points[i] = counterexample.Point{Steps: s, Violations: int(found[i].Load())}
	}
	return points
}

// forkAt repeats a counterexample up to a number of steps and then continues at random. It reports
// whether the property is violated.
func forkAt(ctx context.Context, x *counterexample.Counterexample, steps int, seed uint64,
	executed func(sim.Execution)) bool {
	f := &fork{recorded: simrun.CaseOf(x).Job(), over: steps == 0, seed: seed}
	j := simrun.Job{Plan: x.Plan, Steps: true, Executed: executed, Chooser: f,
		Injection: f.recorded.Injection,
		Stepped:   func(n int) { f.over = f.over || n >= steps }}
	if p, ok := f.recorded.Chooser.(sim.Picker); ok {
		j.Chooser = &forkedOrder{fork: f, picker: p,
			walk: newWalk(x.Plan, rand.New(rand.NewPCG(seed, 0xf02c)))}
	}
	r, err := j.Run(ctx)
	return err == nil && len(r.Suspects([]string{x.Verdict.Property})) > 0
}

// fork answers as the recorded case does until over is set, and then at random.
type fork struct {
	recorded simrun.Job
	over     bool
	seed     uint64
}

// Choose implements sim.Chooser.
func (f *fork) Choose(n int, label, key string) int {
	if f.over {
		return sim.Seeded{Seed: f.seed}.Choose(n, label, key)
	}
	return f.recorded.Chooser.Choose(n, label, key)
}

// forkedOrder is a fork of a Picked schedule. It continues as a walk.
type forkedOrder struct {
	*fork
	picker sim.Picker
	walk   *drawnOrder
}

// injectShare is the probability that an armed fault strikes at a step of a walk.
const injectShare = 0.1

// CanInject implements sim.Injector.
func (f *forkedOrder) CanInject() bool { return f.recorded.Injection.CanInject() }

// Pick implements sim.Picker.
func (f *forkedOrder) Pick(w *sim.Environment, options []sim.Option) int {
	switch {
	case !f.over:
		return f.picker.Pick(w, options)
	case f.CanInject() && f.walk.rand.Float64() < injectShare && f.recorded.Injection.Inject():
		return sim.Again
	case len(options) == 1:
		return 0
	}
	return f.walk.draw(options)
}
