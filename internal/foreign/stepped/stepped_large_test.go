package stepped_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/foreign/stepped"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// TestSameSeedSameSteps starts the programs of each adapter anew for each run, and wants every step
// to be the same: commands, owner values, replies and times.
func TestSameSeedSameSteps(t *testing.T) {
	for _, name := range []string{"redis-py", "python-redis-lock", "pottery", "node-redlock-4",
		"node-redlock-5", "redis-semaphore", "rslock", "redisson", "spring-integration"} {
		t.Run(name, func(t *testing.T) {
			a, err := adapters.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			if !a.IsSetUp() && !testenv.Required("adapters") {
				t.Skip("not set up here")
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
				Environment: "process", Seed: 1}
			p, err := harness.NewPlan(o)
			if err != nil {
				t.Fatal(err)
			}
			program.Use(p)
			o.Environment = "sim"
			if p, err = harness.NewPlan(o); err != nil {
				t.Fatal(err)
			}
			first, err := simrun.Case{Plan: p, Schedule: counterexample.Timed}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			n, _ := strconv.Atoi(os.Getenv("STARTS"))
			for range max(n, 2) {
				again, err := simrun.Case{Plan: p, Schedule: counterexample.Timed}.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if k, same := counterexample.Diverge(first.Steps, again.Steps); !same {
					t.Fatalf("step %d of %d:\n%+v\n%+v", k+1, len(first.Steps), plain(first.Steps[max(0, k-3):k+1]), plain(again.Steps[max(0, k-3):k+1]))

				}
			}
			t.Log(len(first.Steps), "steps")
		})
	}
}

func plain(steps []counterexample.Step) (all []string) {
	for _, s := range steps {
		type step counterexample.Step
		all = append(all, fmt.Sprintf("\n%+v", step(s)))
	}
	return all
}
