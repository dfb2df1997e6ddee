//go:build linux

package stepped_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/foreign/stepped"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// programs are the adapters whose programs are stepped.
var programs = []string{"redis-py", "python-redis-lock", "pottery", "node-redlock-4",
	"node-redlock-5", "redis-semaphore", "rslock", "redisson", "spring-integration",
	sdk + "ruby/example", sdk + "php/example"}

const sdk = "../../../adapters/sdk/"

// TestSameSeedSameSteps starts the programs of each adapter anew for each run, and wants every step
// to be the same: commands, owner values, replies and times. LOCKBENCH_SOAK=1 starts 20 times.
func TestSameSeedSameSteps(t *testing.T) {
	testenv.SkipRace(t) // the work is in the programs
	times := 2
	if os.Getenv("LOCKBENCH_SOAK") != "" {
		times = 20
	}
	for _, name := range programs {
		t.Run(strings.TrimPrefix(name, sdk), func(t *testing.T) {
			c := simrun.Case{Plan: planOf(t, name, "mutex"), Schedule: counterexample.Timed}
			first, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for try := 2; try <= times; try++ {
				again, err := c.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if k, same := counterexample.Diverge(first.Steps, again.Steps); !same {
					t.Fatalf("start %d, step %d of %d:\n%s\n%s", try, k+1, len(first.Steps),
						shown(first.Steps, k), shown(again.Steps, k))
				}
			}
		})
	}
}

// planOf returns a plan for an adapter in virtual time. It skips a test whose adapter is not set
// up, unless it is required.
func planOf(t *testing.T, name, workload string) harness.Plan {
	a, err := adapters.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	if !testenv.Required("adapters") && (a.Missing() != nil || len(a.Setup) > 0 && !a.IsSetUp()) {
		t.Skipf("not set up here: lockbench adapters setup %s", name)
	}
	in, err := adapters.Setup(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	program, err := stepped.Program(in)
	if err != nil {
		t.Fatal(err)
	}
	o := harness.RunOptions{Adapter: name, Nemesis: "pause", TTL: time.Second,
		Workload: workload, Environment: "process", Seed: 1}
	p, err := harness.NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	program.Use(p)
	o.Environment = "sim"
	if p, err = harness.NewPlan(o); err != nil {
		t.Fatal(err)
	}
	return p
}

// shown returns a step with all its fields.
func shown(steps []counterexample.Step, k int) string {
	if k >= len(steps) {
		return "the end"
	}
	type all counterexample.Step
	return fmt.Sprintf("%+v", all(steps[k]))
}
