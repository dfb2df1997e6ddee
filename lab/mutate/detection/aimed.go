package detection

import (
	"context"
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/lab/spec"
)

// planned is one aimed run.
type planned struct {
	row, fault string
	attempt    int
	plan       harness.Plan
}

// aimedRuns returns the runs of the matrix for a lock, and runs of its other workloads without a
// fault. They are sorted by attempt.
func aimedRuns(q Question) ([]planned, error) {
	o := matrix.Options{Rows: []string{q.Lock}, Columns: columnNames(), Environment: "sim",
		Repeat: q.Aimed, Seed: q.Seed}
	tasks, err := o.Tasks()
	if err != nil {
		return nil, err
	}
	var out []planned
	for _, t := range tasks {
		p, err := o.Plan(t)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", t.Row.Name, t.Aim.Nemesis, err)
		}
		p.Properties = letters()
		out = append(out, planned{t.Row.Name, t.Column, t.Attempt, p})
	}
	for attempt := 1; attempt <= q.Aimed; attempt++ {
		more, err := workloadRuns(o, q, attempt)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	slices.SortStableFunc(out, func(a, b planned) int { return a.attempt - b.attempt })
	return out, nil
}

// workloadRuns returns runs without a fault for each workload that a row does not have in the
// matrix.
func workloadRuns(o matrix.Options, q Question, attempt int) (out []planned, err error) {
	rows, _, err := matrix.RowsAndColumns(o.Rows, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		lock, err := impls.Find(r.Impl)
		if err != nil {
			return nil, err
		}
		for _, w := range otherWorkloads(lock, r) {
			row := r
			row.Workload = w
			wish := o.RunOptions(row, matrix.Aim{Nemesis: noFault}, q.Seed+uint64(attempt))
			wish.Properties = letters()
			p, err := harness.NewPlan(wish)
			if err != nil {
				continue // the lock does not support it with its topology
			}
			out = append(out, planned{r.Name, workloadPrefix + w, attempt, p})
		}
	}
	return out, nil
}

// judged is the result of a run: the violated properties, and the departure from the lock's
// specification.
type judged struct {
	violated []string
	verdict  *checker.Verdict // nil without a run
	departs  *spec.Departure
}

// judge runs a plan.
func judge(ctx context.Context, p harness.Plan) (j judged, err error) {
	r, err := simrun.Job{Plan: p, Chooser: sim.Seeded{Seed: p.Seed}}.Run(ctx)
	if err != nil {
		return j, err
	}
	j.verdict = checker.Check(&r.History, r.Trace, checker.Options{Properties: p.Properties})
	for _, property := range j.verdict.Properties {
		if property.Verdict == checker.Violated && !property.Reported {
			j.violated = append(j.violated, property.Property)
		}
	}
	j.departs = spec.Validate(&r.History, r.Trace, p.Worker().Options())
	return j, r.HarnessError
}

// aimed makes the aimed runs. It ends after the first attempt that finds something.
func (a *answering) aimed(ctx context.Context) error {
	runs, err := aimedRuns(a.Question)
	if err != nil {
		return err
	}
	found, attempt := false, 1
	for _, r := range runs {
		if r.attempt > attempt && found {
			return nil
		}
		attempt = r.attempt
		a.announce(Line{Row: r.row, Fault: r.fault})
		j, err := judge(ctx, r.plan)
		if err != nil {
			a.say(Line{Row: r.row, Fault: r.fault, Broken: err.Error()})
		}
		if j.departs != nil {
			a.say(Line{Row: r.row, Fault: r.fault, Departs: j.departs.What})
		}
		if fresh := a.Known.newLetters(r.row, r.fault, j.violated); len(fresh) > 0 {
			a.say(Line{Row: r.row, Fault: r.fault, Letters: fresh})
			found = a.Known != nil
		} else if r.fault == noFault && hardlyGranted(j.verdict, j.violated, r.plan.Requires) {
			a.say(Line{Row: r.row, Fault: r.fault, Unknown: fmt.Sprintf("%d of %d contended acquisitions",
				j.verdict.Evidence.Contended, r.plan.Requires.Contended)})
		}
	}
	return nil
}

// hardlyGranted reports whether too few clients were granted the lock to judge it. If nothing
// fails, that is evidence against the lock. A run that ended early because of a violation does not
// count, even if the original lock has the same violation.
func hardlyGranted(v *checker.Verdict, violated []string, wanted history.Requires) bool {
	return v != nil && len(violated) == 0 && v.Evidence.Contended < wanted.Contended
}
