package harness_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/harness"
)

func TestMain(m *testing.M) {
	if cluster.IsWorker() {
		os.Exit(cluster.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// runPlan runs a plan on real processes and returns what was recorded.
func runPlan(t *testing.T, w harness.Wish) *history.History {
	t.Helper()
	p, err := harness.NewPlan(w)
	if err != nil {
		t.Fatal(err)
	}
	world, err := cluster.Start(cluster.Config{Dir: t.TempDir(), Topology: p.Topology, Clients: p.Clients, Seed: p.Seed, Worker: p.Worker()})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	var hist, trace bytes.Buffer
	begin := time.Now()
	if err := harness.Run(t.Context(), p, world, harness.Output{History: &hist, Trace: &trace, Started: time.Now()}); err != nil {
		t.Fatal(err)
	}
	t.Log("took", time.Since(begin))
	t.Log(hist.String())
	t.Log(trace.String())
	h, err := history.Read(&hist)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestFailover(t *testing.T) {
	runPlan(t, harness.Wish{Impl: "getset", Nemesis: "failover", Seed: 1})
}
