package spec_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/lab/spec"
	"github.com/lockbench/lockbench/workloads"
)

// TestEachLockHasAPage: a new lock needs one.
func TestEachLockHasAPage(t *testing.T) {
	for _, e := range impls.All() {
		if !spec.Has(e.Name) {
			t.Errorf("%s has no specification", e.Name)
		}
	}
	for _, name := range spec.Locks() {
		if _, err := impls.Find(name); err != nil {
			t.Error(err)
		}
	}
}

// TestSimulatedRuns holds each cell of the matrix that the simulator can do to the specification of
// its lock, in one run, or in 20 where LOCKBENCH_SOAK is set.
func TestSimulatedRuns(t *testing.T) {
	testenv.SkipRace(t)
	repeat := 1
	if os.Getenv("LOCKBENCH_SOAK") != "" {
		repeat = 20
	}
	for _, e := range impls.All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			tasks, err := matrix.Options{Rows: []string{e.Name}, Environment: "sim", Repeat: repeat,
				Seed: 1}.Tasks()
			if err != nil {
				t.Fatal(err)
			}
			commands := 0
			for _, task := range tasks {
				commands += simulated(t, task)
			}
			t.Logf("%d runs, %d commands", len(tasks), commands)
		})
	}
}

// TestWorkloads: so too with each workload of a lock, and with its options.
func TestWorkloads(t *testing.T) {
	testenv.SkipRace(t)
	for _, e := range impls.All() {
		for _, w := range workloads.All() {
			if workloads.Suits(e, w.Name, w.Keys) != nil {
				continue
			}
			for _, o := range []harness.RunOptions{{}, {NoWatchdog: true},
				{Settings: impls.Settings{MaxRenewals: 1}},
				{Settings: impls.Settings{WaitReplicas: 1}, Topology: "failover", Replicas: 1},
				{Variant: last(e.Variants)}} {
				o.Impl, o.Workload, o.Environment, o.Nemesis, o.Seed = e.Name, w.Name, "sim", "none", 1
				p, err := harness.NewPlan(o)
				if err != nil {
					continue // the lock has no such option
				}
				carryOut(t, fmt.Sprintf("%s, %s, %+v", e.Name, w.Name, p.Worker().Options()), p)
			}
		}
	}
}

func last(variants []string) string {
	if len(variants) == 0 {
		return ""
	}
	return variants[len(variants)-1]
}

// simulated carries out a cell and returns how many commands were sent.
func simulated(t *testing.T, task matrix.Task) int {
	p, err := matrix.Options{Environment: "sim", Seed: 1}.Plan(task)
	if err != nil {
		t.Fatalf("%s, %s: %v", task.Row.Name, task.Aim.Nemesis, err)
	}
	return carryOut(t, task.Row.Name+", "+task.Aim.Nemesis, p)
}

func carryOut(t *testing.T, name string, p harness.Plan) int {
	r, err := simrun.Job{Plan: p, Chooser: sim.Seeded{Seed: p.Seed}}.Run(context.Background())
	if err != nil {
		t.Logf("%s: %v", name, err)
		return 0
	}
	if d := spec.Validate(&r.History, r.Trace, p.Worker().Options()); d != nil {
		t.Errorf("%s: %v", name, d)
	}
	return len(r.Trace)
}
