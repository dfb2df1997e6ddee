package simrun

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
)

func planOf(t *testing.T, lock, fault string) harness.Plan {
	t.Helper()
	p, err := harness.NewPlan(harness.RunOptions{Environment: "sim", Impl: lock, Nemesis: fault,
		Clients: 2, TTL: time.Second, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	p.Rounds = 2
	return p
}

// TestTheSameCaseIsTheSameRun under both schedules, with and without its steps.
func TestTheSameCaseIsTheSameRun(t *testing.T) {
	for _, schedule := range []string{counterexample.Timed, counterexample.Picked} {
		c := Case{Plan: planOf(t, "token-lua", "pause"), Schedule: schedule,
			Deviations: map[string]int{"c0>n0.3": 1}}
		first, err := c.Run(t.Context())
		if err != nil || first.HarnessError != nil || len(first.Steps) == 0 {
			t.Fatalf("%s: %v, %v, %d steps", schedule, err, first.HarnessError, len(first.Steps))
		}
		again, err := c.Clone().Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if k, same := counterexample.Diverge(first.Steps, again.Steps); !same {
			t.Errorf("%s: it differs at step %d", schedule, k+1)
		}
		quiet, err := c.Job().Run(t.Context())
		if err != nil || len(quiet.Steps) != 0 || !cmp.Equal(first.Trace, quiet.Trace) {
			t.Errorf("%s: %v, %d steps; %s", schedule, err, len(quiet.Steps),
				cmp.Diff(first.Trace, quiet.Trace))
		}
		if first.Slowest() <= 0 || first.Slowest() > first.Steps[len(first.Steps)-1].At.D() {
			t.Errorf("%s: the slowest command took %v", schedule, first.Slowest())
		}
	}
}

// TestStepsHaveEveryFault wants each step that the harness carries out in the record.
func TestStepsHaveEveryFault(t *testing.T) {
	for fault, want := range map[string][]string{
		"pause": {nemesis.Pause, nemesis.Unpause}, "late": {nemesis.HoldBack, nemesis.Heal},
		"partition": {nemesis.Cut, nemesis.Heal}, "restart": {nemesis.KillNode, nemesis.Start},
		"failover":       {nemesis.KillNode, nemesis.Promote, nemesis.Redirect},
		"clock-client:+": {nemesis.ClientClock}, "clock-server:+": {nemesis.NodeClock},
		"busy": {nemesis.Stall, nemesis.Free}, "crash": {nemesis.Crash},
	} {
		p := planOf(t, "token-lua", fault)
		p.Rounds = 0 // as many as the scenario needs
		r, err := Case{Plan: p, Schedule: counterexample.Timed}.Run(t.Context())
		if err != nil {
			t.Errorf("%s: %v", fault, err)
			continue
		}
		seen := map[string]bool{}
		for _, s := range r.Steps {
			if s.Fault != nil {
				seen[s.Fault.Do] = true
			}
		}
		for _, do := range want {
			if !seen[do] {
				t.Errorf("%s: %s is not in the steps, which have %v", fault, do, seen)
			}
		}
	}
}

// TestConfirm wants the checker's word, not only a suspicion.
func TestConfirm(t *testing.T) {
	for lock, violated := range map[string]bool{"none": true, "token-lua": false} {
		r, err := Case{Plan: planOf(t, lock, "none"), Schedule: counterexample.Timed}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p, ok := r.Confirm("S")
		if suspects := r.Suspects([]string{"D", "S"}); ok != violated || (len(suspects) > 0) != violated {
			t.Errorf("%s: %v, suspects %v", lock, p, suspects)
		}
		c, err := Case{Plan: planOf(t, lock, "none"), Schedule: counterexample.Timed}.
			Settle(t.Context(), "S")
		if (err == nil) != violated || violated && c.Verdict.Property != "S" {
			t.Errorf("%s: %v", lock, err)
		}
	}
}

// TestStepsEndWhereClientsAreTold to give up since the violation is certain: what they do then is
// no part of it. Work that is longer than its lease is what that plan is about, and so counts.
func TestStepsEndWhereClientsAreTold(t *testing.T) {
	step := func(at history.Duration) counterexample.Step { return counterexample.Step{At: at} }
	r := Record{Steps: []counterexample.Step{step(1), step(5), step(5), step(6)}, stopped: 1}
	two := &checker.Witness{Holds: []checker.Hold{{From: 1, To: 9}, {From: 5, To: 8}}}
	for property, want := range map[string]int{"L": 3, "O": 4} {
		if n := len(r.witnessSteps(checker.Property{Property: property, Witness: two})); n != want {
			t.Errorf("%s: %d steps, not %d", property, n, want)
		}
	}
	for plan, want := range map[string]bool{"overrun": true, "restart-delayed": false} {
		if got := newRecorder(Job{Plan: planOf(t, "token-lua", plan)}).meant; got != want {
			t.Errorf("%s: %v", plan, got)
		}
	}
}

// injector injects its fault at the first question that it is asked when the fault is armed.
type injector struct {
	sim.Recorded
	Questions
	Injection
	answers map[string]int
}

func (i *injector) Pick(_ *sim.Environment, options []sim.Option) int {
	name := i.Name(options)
	if i.Inject() {
		i.answers[counterexample.InjectBefore+name] = 1
		return sim.Again
	}
	return 0
}

// TestInjectionIsReplayed injects a fault again where a chooser has injected it.
func TestInjectionIsReplayed(t *testing.T) {
	p := planOf(t, "token-lua", "none")
	p.Scenario = []nemesis.Step{
		{Await: &nemesis.Await{Client: "c0", Command: Anywhere, At: nemesis.Before}},
		{Do: nemesis.Pause, Target: "c0"}, {Do: nemesis.Wait, For: 1_300_000_000},
		{Do: nemesis.Unpause, Target: "c0"},
	}
	i := &injector{answers: map[string]int{}}
	first, err := Job{Plan: p, Chooser: i, Steps: true, Injection: &i.Injection}.
		Run(context.Background())
	if err != nil || len(i.answers) != 1 {
		t.Fatalf("%v, %v", err, i.answers)
	}
	again, err := Case{p, counterexample.Picked, maps.Clone(i.answers)}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if k, same := counterexample.Diverge(first.Steps, again.Steps); !same {
		t.Errorf("it differs at step %d of %d", k+1, len(first.Steps))
	}
}

// TestImpossiblePlans are refused before anything runs.
func TestImpossiblePlans(t *testing.T) {
	p := planOf(t, "token-lua", "none")
	p.Scenario = []nemesis.Step{{Do: nemesis.LoseDisk, Target: "n0"}}
	if _, err := (Job{Plan: p, Chooser: sim.Seeded{}}).Run(t.Context()); err == nil {
		t.Error("the simulator has lost a disk")
	}
}

// TestTooLongAStandIsOfTheHarness where there is no fault: a client may be slow, but no longer than
// its lease and its work allow. What comes of that is put down to the lock.
func TestTooLongAStandIsOfTheHarness(t *testing.T) {
	p := planOf(t, "getset-redispy", "none")
	for _, c := range []struct {
		stands history.Duration
		fault  string
		own    bool
	}{{p.TTL - p.Hold - 1, "none", false}, {p.TTL - p.Hold, "none", true}, {p.TTL, "late", false},
		{p.TTL, "race", false}, {p.TTL, "random", false}, {p.TTL, "mine.yaml", false}} {
		p.Nemesis = c.fault
		r := &newRecorder(Job{Plan: p}).Record
		r.stands = []stand{{0, 1, 5, 5 + int64(c.stands)}}
		r.History.Events = []history.Event{{T: 5}, {T: 5 + 2*int64(p.TTL)}}
		if r.OfTheHarness(checker.Property{Class: checker.DoubleGrant}) != c.own {
			t.Errorf("%v under %s is of the harness: %v", c.stands, c.fault, !c.own)
		}
	}
}
