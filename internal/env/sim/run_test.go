package sim_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// soak asks for the full numbers, which take minutes.
var soak = os.Getenv("LOCKBENCH_SOAK") != ""

// record runs a plan in the simulator and returns what it wrote.
func record(p harness.Plan, change func(*sim.Config)) (history, trace string, err error) {
	cfg := sim.Config{Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas,
		Clients: p.Clients, Seed: p.Seed, Worker: p.Worker(), RedisConfig: p.RedisConfig}
	if change != nil {
		change(&cfg)
	}
	var h, tr bytes.Buffer
	err = sim.Run(cfg, func(w *sim.Environment) error {
		return harness.Run(context.Background(), p, w, harness.Output{History: &h, Trace: &tr})
	})
	return h.String(), tr.String(), err
}

func plan(t testing.TB, w harness.RunOptions) harness.Plan {
	t.Helper()
	w.Environment = "sim"
	p, err := harness.NewPlan(w)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFailoverEndToEnd sees the harness lose a grant of the lock with GETSET by a failover, as it
// does with real processes.
func TestFailoverEndToEnd(t *testing.T) {
	h, trace, err := record(plan(t, harness.RunOptions{Impl: "getset", Nemesis: "failover", Seed: 1}),
		nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"f":"promote"`, `"node":"n1"`, `"type":"end"`} {
		if !strings.Contains(h, want) {
			t.Errorf("the history has no %s:\n%s", want, h)
		}
	}
	if !strings.Contains(trace, `"args":["SETNX","lock:0"`) {
		t.Errorf("no SETNX in the trace:\n%s", trace)
	}
}

// fault is a fault, or a variant of one.
type fault struct {
	name    string
	variant bool // not the fault's first
}

func faults() (all []fault) {
	for _, e := range nemesis.All() {
		all = append(all, fault{e.Name, false})
		for i, v := range e.Variants {
			name := strings.NewReplacer("N", "3", "DURATION", "50ms").Replace(v.Name)
			if i > 0 {
				all = append(all, fault{e.Name + ":" + name, true})
			}
		}
	}
	return all
}

// quick is a plan with short times, so that the test sees many: it ends when its scenario does.
func quick(lock, fault string, seed uint64) (harness.Plan, error) {
	p, err := harness.NewPlan(harness.RunOptions{
		Environment: "sim", Impl: lock, Nemesis: fault, Seed: seed, Clients: 3,
		TTL:  200 * time.Millisecond,
		Poll: 15 * time.Millisecond,
		Hold: 30 * time.Millisecond, ClientTimeout: 40 * time.Millisecond, For: 2 * time.Second,
	})
	p.Requires.Contended = 0
	if err != nil && (strings.Contains(err.Error(), "not possible in this environment") ||
		strings.Contains(err.Error(), "choose --ttl 5s or more")) {
		return p, errNotHere
	}
	if err == nil && nemesis.CapabilitiesOf("sim").Possible(nemesis.Scenario{Topology: p.Topology,
		Steps: p.Scenario}) != nil {
		err = errNotHere
	}
	return p, err
}

// errNotHere is why some faults have no run here.
var errNotHere = errors.New("the simulator cannot do that")
