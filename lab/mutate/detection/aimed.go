package detection

import (
	"context"
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/impls/spec"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// planned is one aimed run.
type planned struct {
	row, fault string
	attempt    int
	plan       harness.Plan
}

// aimedRuns are the runs of the matrix for a lock, and beside them its other workloads without a
// fault, attempt by attempt.
func aimedRuns(q Question) ([]planned, error) {
	o := matrix.Options{Rows: []string{q.Lock}, Environment: "sim", Repeat: q.Aimed, Seed: q.Seed}
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

// workloadRuns are runs without a fault with each workload that a row does not have in the matrix.
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
				continue // the lock cannot do it with its topology
			}
			out = append(out, planned{r.Name, workloadPrefix + w, attempt, p})
		}
	}
	return out, nil
}

// judged is a run of a plan: what was violated, and what its lock does not do by its specification.
type judged struct {
	violated []string
	verdict  *checker.Verdict // nil: there was no run
	departs  *spec.Departure
}

// judge carries a plan out.
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

// aimed does the aimed runs. It ends with the first attempt in which something was found.
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
		if fresh := a.Known.fresh(r.row, r.fault, j.violated); len(fresh) > 0 {
			a.say(Line{Row: r.row, Fault: r.fault, Letters: fresh})
			found = a.Known != nil
		} else if r.fault == noFault && hardlyGranted(j.verdict, j.violated, r.plan.Requires) {
			a.say(Line{Row: r.row, Fault: r.fault, Unknown: fmt.Sprintf("%d of %d contended acquisitions",
				j.verdict.Evidence.Contended, r.plan.Requires.Contended)})
		}
	}
	return nil
}

// hardlyGranted reports whether too few clients were granted the lock to judge it, which says
// something of the lock where nothing fails. A run that ended early because something was violated,
// be it by the lock as it is, says nothing.
func hardlyGranted(v *checker.Verdict, violated []string, wanted history.Requires) bool {
	return v != nil && len(violated) == 0 && v.Evidence.Contended < wanted.Contended
}
