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
	cfg := sim.Config{Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas,
		Clients: p.Clients, Seed: p.Seed, Worker: p.Worker(), RedisConfig: p.RedisConfig}
	if change != nil {
		change(&cfg)
	}
	var h, tr bytes.Buffer
	err = sim.Run(cfg, func(w *sim.Environment) error {
		return harness.Run(context.Background(), p, w, harness.Output{History: &h, Trace: &tr,
			Started: w.Started()})
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

// What the test of determinism runs twice. A soak takes every lock with every fault on each of the
// seeds, and every further variant of a fault on the first variantSeeds. A usual test takes each of
// them on seed 0, and then one pair of lock and fault out of every share with each seed, another
// one each time: every lock and every fault has all the seeds, but not every pair. The race
// detector makes runs ten times slower, and sees enough in a part of them.
var (
	seeds        = pick(1000, 50, 2)
	variantSeeds = pick(20, 1, 1)
	share        = pick(1, 5, 8)
)

// pick is the number for a soak, for a usual test, and for one with the race detector.
func pick(long, usual, racing int) int {
	switch {
	case soak:
		return long
	case raced:
		return racing
	}
	return usual
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
	if err != nil && strings.Contains(err.Error(), "not possible in this environment") {
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

// TestTheSameSeedGivesTheSameBytes runs plans twice, several environments side by side.
func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	begin, had, runs := time.Now(), map[string]int{}, 0
	for seed := range seeds {
		plans := due(seed, had)
		runs += len(plans)
		sideBySide(t, plans)
		if t.Failed() {
			return
		}
		if soak && seed%10 == 9 {
			t.Logf("%d seeds, %d plans after %v", seed+1, runs, time.Since(begin).Round(time.Second))
		}
	}
	for name, n := range had {
		if !raced && n != seeds {
			t.Errorf("%s had %d of %d seeds", name, n, seeds)
		}
	}
	t.Logf("%d seeds: %d plans, twice, in %v", seeds, runs, time.Since(begin).Round(time.Second))
}

// due are the plans of a seed. Had counts the seeds that each lock and each fault has had.
func due(seed int, had map[string]int) (all []harness.Plan) {
	now := map[string]bool{}
	for i, f := range faults() {
		if f.variant && seed >= variantSeeds {
			continue
		}
		possible := plans(f.name, seed)
		for j, p := range possible {
			if (i+j+seed)%min(share, len(possible)) != 0 && (seed > 0 || raced) {
				continue
			}
			all = append(all, p)
			if !f.variant {
				now[p.Impl], now[f.name] = true, true
			}
		}
	}
	for name := range now {
		had[name]++
	}
	return all
}

// plans are those of a fault with every lock that it goes together with.
func plans(fault string, seed int) (all []harness.Plan) {
	for _, lock := range impls.All() {
		if p, err := quick(lock.Name, fault, uint64(seed)); err == nil {
			all = append(all, p)
		}
	}
	return all
}

func sideBySide(t *testing.T, plans []harness.Plan) {
	var all sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, p := range plans {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			twice(t, p)
		})
	}
	all.Wait()
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
