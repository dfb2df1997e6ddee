package harness_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/testenv"
)

// runPlan runs a plan on real processes and returns what was recorded.
func runPlan(t *testing.T, w harness.RunOptions) *history.History {
	t.Helper()
	testenv.Part(t, "redis")
	p, err := harness.NewPlan(w)
	if err != nil {
		t.Fatal(err)
	}
	environment, err := cluster.Start(cluster.Config{Dir: t.TempDir(), Topology: p.Topology,
		Clients: p.Clients, Seed: p.Seed, Worker: p.Worker()})
	if err != nil {
		t.Fatal(err)
	}
	defer environment.Close()
	var hist, trace bytes.Buffer
	if err := harness.Run(t.Context(), p, environment, harness.Output{History: &hist, Trace: &trace,
		Started: time.Now()}); err != nil {
		t.Fatal(err)
	}
	h, err := history.Read(&hist)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestTheFaultHitsAContendedHold looks at the record of a real failover: the master dies while
// a client is inside that the replica does not know of, and another waits.
func TestTheFaultHitsAContendedHold(t *testing.T) {
	h := runPlan(t, harness.RunOptions{Impl: "getset", Nemesis: "failover", Seed: 1})
	inside, waiting := map[int]bool{}, map[int]bool{}
	hit := false
	for _, e := range h.Events {
		switch {
		case e.F == history.Acquire:
			waiting[e.Process], inside[e.Process] = e.Type == history.Invoke, e.Type == history.OK
		case e.F == history.Release && e.Type == history.Invoke:
			inside[e.Process] = false
		case e.Aimed && e.Phase == history.PhaseFrom:
			hit = true
			if e.By == nil || !inside[*e.By] {
				t.Errorf("%s hit outside of a hold", e.F)
			}
			if len(waiting) < 2 {
				t.Errorf("%s hit while no other client waited", e.F)
			}
		}
	}
	if !hit || !h.Complete() || h.HarnessError() != "" {
		t.Errorf("hit %v, complete %v, harness error %q", hit, h.Complete(), h.HarnessError())
	}
}
