package timeline

import (
	"context"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/reports/reporttest"
)

// TestAPictureAgreesWithItsVerdict draws many runs: made up, and one of each lock in the simulator
// under faults of all kinds.
func TestAPictureAgreesWithItsVerdict(t *testing.T) {
	testenv.SkipRace(t)
	for _, s := range []reporttest.Scene{{Clients: 4, Cycles: 14, Fail: true},
		{Clients: 4, Cycles: 40},
		{Clients: 8, Cycles: 300, Fail: true}} {
		agrees(t, "made up", reporttest.NewRun(t, s))
	}
	violated, runs := 0, 0
	for i, lock := range impls.All() {
		for j, fault := range []string{"none", "overrun", "pause", "crash", "partition", "failover",
			"restart", "clock-server:+", "busy", "random"} {
			if testing.Short() && (i+j)%5 > 0 {
				continue
			}
			p, _, err := runner.Prepare(context.Background(), harness.RunOptions{Impl: lock.Name,
				Nemesis: fault, Environment: runner.Sim, Seed: uint64(1 + i + j)})
			if err != nil {
				continue // the lock cannot be run under this fault
			}
			r, err := runner.Run(context.Background(), p, runner.Options{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(lock.Name, fault, err)
			}
			runs++
			if r.Verdict.Verdict == checker.Violated {
				violated++
			}
			agrees(t, lock.Name+" under "+fault, r)
		}
	}
	if runs < 20 || violated < 5 {
		t.Errorf("%d simulated runs, %d of them violated", runs, violated)
	}
}
