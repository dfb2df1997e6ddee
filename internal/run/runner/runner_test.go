package runner_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/nemesis"
)

func simulated(t *testing.T, impl, fault string) harness.Plan {
	t.Helper()
	p, note, err := runner.Prepare(context.Background(), harness.RunOptions{Impl: impl, Nemesis: fault,
		Environment: runner.Sim, Seed: 1})
	if err != nil || note != "" {
		t.Fatal(note, err)
	}
	return p
}

func TestARunLeavesEverythingOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	var status runner.Status
	if got := status.Line(0); got != "looking at what is possible here, 0 s" {
		t.Errorf("before the run, status is %q", got)
	}
	r, err := runner.Run(context.Background(), simulated(t, "getset", "failover"),
		runner.Options{Dir: dir, Command: "lockbench run", Status: &status})
	if err != nil || r.Verdict.Verdict != checker.Violated {
		t.Fatal(r, err)
	}
	for _, name := range []string{store.Plan, store.History, store.Trace, store.Verdict} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if h := r.History.Header; h.Command != "lockbench run" || h.Machine != "" {
		t.Errorf("header has command %q and machine %q", h.Command, h.Machine)
	}
	if got := status.Line(0); !strings.Contains(got, " acquisitions, fault: redirect ") {
		t.Errorf("status is %q", got)
	}
	again, err := store.Judge(dir)
	if err != nil || again.Verdict.Summary != r.Verdict.Summary {
		t.Errorf("judged again: %v %v", again, err)
	}
}

// TestAVerdictThatCannotBeSavedIsReturned: a folder takes the place of its file.
func TestAVerdictThatCannotBeSavedIsReturned(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, store.Verdict, "taken"), 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := runner.Run(t.Context(), simulated(t, "getset", "failover"), runner.Options{Dir: dir})
	if r == nil || r.Verdict.Verdict != checker.Violated || !errors.As(err, new(runner.BrokenError)) {
		t.Errorf("the run is %v, and its error %v", r, err)
	}
}

// TestACertainViolationEndsHolds: who is inside when it becomes certain leaves, unless all the
// evidence is wanted. Times are those of the simulator.
func TestACertainViolationEndsHolds(t *testing.T) {
	for _, thorough := range []bool{false, true} {
		p := simulated(t, "getset", "pause")
		p.Thorough = thorough
		r, err := runner.Run(context.Background(), p, runner.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		cut, granted := false, map[[2]int]int64{}
		for _, e := range r.History.Events {
			hold := [2]int{e.Process, e.N}
			switch at, inside := granted[hold]; {
			case e.Type == history.OK && e.F == history.Acquire:
				granted[hold] = e.T
			case e.Type == history.Invoke && e.F == history.Release && inside:
				cut = cut || e.T-at < int64(p.Hold)
			}
		}
		if cut == thorough {
			t.Errorf("thorough %v, and a hold was cut short: %v", thorough, cut)
		}
	}
}

func TestARunThatWasInterruptedHasAVerdict(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	r, err := runner.Run(ctx, simulated(t, "getset", "none"), runner.Options{Dir: t.TempDir()})
	if !errors.Is(err, context.Canceled) || r == nil || r.Verdict == nil {
		t.Fatalf("run %v, error %v", r, err)
	}
	v := r.Verdict // as after SIGKILL, which leaves no end
	if v.Exit != checker.ExitUnknown || !v.Evidence.Interrupted || v.HarnessError != "" {
		t.Errorf("exit %d: %s", v.Exit, v.Summary)
	}
}

func TestWhatTheUserCanMendIsAUsageError(t *testing.T) {
	p := simulated(t, "getset", "pause")
	for name, run := range map[string]func() error{
		"no directory": func() error {
			_, err := runner.Run(context.Background(), p, runner.Options{Dir: "/dev/null/run"})
			return err
		},
		"a fault that is not possible": func() error {
			p := p
			p.Scenario = []nemesis.Step{{Do: nemesis.LoseDisk, Target: "n0"}}
			_, err := runner.Run(context.Background(), p, runner.Options{Dir: t.TempDir()})
			return err
		},
		"no Redis": func() error {
			p := p
			p.Environment, p.Place.Addrs = runner.External, []string{"127.0.0.1:1"}
			_, err := runner.Run(context.Background(), p, runner.Options{Dir: t.TempDir()})
			return err
		},
	} {
		var usage runner.UsageError
		if err := run(); !errors.As(err, &usage) {
			t.Errorf("%s: %T %v", name, err, err)
		}
	}
}

func TestPrepareRefusesWithWordsThatHelp(t *testing.T) {
	for _, c := range []struct {
		o    harness.RunOptions
		want string
	}{
		{harness.RunOptions{Impl: "getsett"}, "did you mean"},
		{harness.RunOptions{Impl: "getset", Environment: "moon"}, "unknown environment"},
		{harness.RunOptions{Impl: "getset", Environment: "sim", Nemesis: "failover-sentinel"},
			"--nemesis failover-sentinel: not possible in this environment"},
		{harness.RunOptions{Impl: "getset", Environment: "sim",
			Place: harness.Place{Addrs: []string{"h:1"}}}, "--addr is for --env external"},
	} {
		if c.o.Nemesis == "" {
			c.o.Nemesis = "none"
		}
		_, _, err := runner.Prepare(context.Background(), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}

func TestFitKeepsAPlan(t *testing.T) {
	p := simulated(t, "getset", "pause")
	fitted, _, err := runner.Fit(context.Background(), p)
	if err != nil || fitted.Seed != p.Seed || fitted.Environment != p.Environment {
		t.Error(fitted, err)
	}
	p.Nemesis, p.Scenario = "restart", []nemesis.Step{{Do: nemesis.LoseDisk, Target: "n0"}}
	var no nemesis.ImpossibleError
	if _, _, err := runner.Fit(context.Background(), p); !errors.As(err, &no) {
		t.Errorf("error %v", err)
	}
}
