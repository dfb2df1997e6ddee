package sim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/sim"
	"github.com/lockbench/lockbench/nemesis"
)

// soak asks for the full numbers, which take minutes.
var soak = os.Getenv("LOCKBENCH_SOAK") != ""

// record runs a plan in the simulator and returns what it wrote.
func record(p harness.Plan, change func(*sim.Config)) (history, trace string, err error) {
	cfg := sim.Config{Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas, Clients: p.Clients, Seed: p.Seed, Worker: p.Worker(), RedisConfig: p.RedisConfig}
	if change != nil {
		change(&cfg)
	}
	var h, tr bytes.Buffer
	err = sim.Run(cfg, func(w *sim.World) error {
		return harness.Run(context.Background(), p, w, harness.Output{History: &h, Trace: &tr, Started: w.Started()})
	})
	return h.String(), tr.String(), err
}

func plan(t testing.TB, w harness.Wish) harness.Plan {
	t.Helper()
	w.World = "sim"
	p, err := harness.NewPlan(w)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFailoverEndToEnd sees the harness lose a grant of the lock with GETSET by a failover, as it does with real processes.
func TestFailoverEndToEnd(t *testing.T) {
	h, trace, err := record(plan(t, harness.Wish{Impl: "getset", Nemesis: "failover", Seed: 1}), nil)
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

// variants are all faults with all their variants.
func variants() (all []string) {
	for _, e := range nemesis.All() {
		all = append(all, e.Name)
		for i, v := range e.Variants {
			name := strings.NewReplacer("N", "3", "DURATION", "50ms").Replace(v.Name)
			if i > 0 {
				all = append(all, e.Name+":"+name)
			}
		}
	}
	return all
}

// The determinism test goes round all locks and faults, a seed each time, until its time is over; the first round is always whole.
const (
	patience  = 10 * time.Second
	seedsMost = 50
	seedsSoak = 1000

	racedShare = 16 // with the race detector: every so many pairs
)

// quick is a plan with short times, so that the test sees many: it ends when its scenario does.
func quick(lock, fault string, seed uint64) (harness.Plan, error) {
	p, err := harness.NewPlan(harness.Wish{
		World: "sim", Impl: lock, Nemesis: fault, Seed: seed, Clients: 3, TTL: 200 * time.Millisecond, Poll: 15 * time.Millisecond,
		Hold: 30 * time.Millisecond, ClientTimeout: 40 * time.Millisecond, For: 2 * time.Second,
	})
	p.Requires.Contended = 0
	if err == nil && nemesis.GroundOf("sim").Possible(nemesis.Scenario{Topology: p.Topology, Steps: p.Scenario}) != nil {
		err = errNotHere
	}
	return p, err
}

// errNotHere is why some faults have no run here.
var errNotHere = errors.New("the simulator cannot do that")

// TestTheSameSeedGivesTheSameBytes runs every lock with every fault twice, several worlds side by side.
func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	begin := time.Now()
	for seed := uint64(0); ; seed++ {
		runs := round(t, seed)
		if soak && seed+1 == seedsSoak || !soak && (seed+1 == seedsMost || time.Since(begin) > patience) || t.Failed() {
			t.Logf("%d pairs of lock and fault, %d seeds each, twice: %v", runs, seed+1, time.Since(begin).Round(time.Second))
			return
		}
	}
}

// round runs all pairs of lock and fault with one seed, and returns how many there are.
func round(t *testing.T, seed uint64) int {
	var all sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	pair, runs := int(seed), 0
	for _, lock := range impls.All() {
		for _, fault := range variants() {
			p, err := quick(lock.Name, fault, seed)
			if err != nil {
				continue // the two do not go together
			}
			pair++
			if raced && pair%racedShare != 0 {
				continue
			}
			runs++
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				twice(t, p)
			})
		}
	}
	all.Wait()
	return runs
}

func twice(t *testing.T, p harness.Plan) {
	t.Helper()
	h1, t1, err1 := record(p, nil)
	h2, t2, err2 := record(p, nil)
	name := fmt.Sprintf("%s %s seed %d", p.Impl, p.Nemesis, p.Seed)
	if fmt.Sprint(err1) != fmt.Sprint(err2) {
		t.Errorf("%s: %v, then %v", name, err1, err2)
	}
	if d := firstDifference(h1, h2); d != "" {
		t.Errorf("%s: the histories differ: %s", name, d)
	}
	if d := firstDifference(t1, t2); d != "" {
		t.Errorf("%s: the traces differ: %s", name, d)
	}
	if err1 != nil {
		t.Errorf("%s: %v", name, err1)
	}
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(a, b string) string {
	if a == b {
		return ""
	}
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d:\n%s\n%s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}
