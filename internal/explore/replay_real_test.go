package explore

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/need"
)

func TestMain(m *testing.M) {
	if cluster.IsWorker() {
		os.Exit(cluster.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// recorded is the counterexample that a scenario gives in the simulator.
func recorded(t *testing.T, property string, w harness.Wish) *Counterexample {
	t.Helper()
	w.World = "sim"
	if w.TTL == 0 {
		w.TTL = 500 * time.Millisecond
	}
	p, err := harness.NewPlan(w)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Case{Plan: p, Schedule: Timed}.settle(context.Background(), property)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRealDev(t *testing.T) {
	need.Part(t, "redis")
	for _, x := range []struct {
		lock, fault, property string
	}{
		{"token-lua", "pause", "S"},
		{"getset", "pause", "S"},
	} {
		t.Run(x.lock+"/"+x.fault, func(t *testing.T) {
			c := recorded(t, x.property, harness.Wish{Impl: x.lock, Nemesis: x.fault, Seed: 1, Clients: 3})
			dir := t.TempDir()
			a, err := ReplayReal(context.Background(), c, Real{World: "process", Dir: dir})
			if err != nil || a.Result != Confirmed {
				for i, s := range c.Steps {
					t.Log(i+1, s)
				}
				b, _ := os.ReadFile(dir + "/history.jsonl")
				t.Log(string(b))
			}
			t.Log(len(c.Steps), "steps", a, a.Late, err)
		})
	}
}
