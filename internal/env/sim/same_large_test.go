package sim_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
)

// What the test of determinism runs twice. A soak takes every lock with every fault on each of the
// seeds, and every further variant of a fault on the first variantSeeds. A usual test takes each of
// them on seed 0, and then one pair of lock and fault out of every share with each seed, another
// one each time: every lock and every fault has all the seeds, but not every pair. The race
// detector sees enough in a part of them.
func seeds() int        { return pick(1000, 6, 1) }
func variantSeeds() int { return pick(20, 1, 1) }
func share() int        { return pick(1, 5, 8) }

// pick is the number for a soak, for a usual test, and for one with the race detector.
func pick(long, usual, racing int) int {
	if soak {
		return long
	}
	return testenv.Large(usual, racing)
}

// TestTheSameSeedGivesTheSameBytes runs plans twice, several environments side by side.
func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	begin, had, runs := time.Now(), map[string]int{}, 0
	for seed := range seeds() {
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
		if !testenv.Race && n != seeds() {
			t.Errorf("%s had %d of %d seeds", name, n, seeds())
		}
	}
	t.Logf("%d seeds: %d plans, twice, in %v", seeds(), runs, time.Since(begin).Round(time.Second))
}

// due are the plans of a seed. Had counts the seeds that each lock and each fault has had.
func due(seed int, had map[string]int) (all []harness.Plan) {
	now := map[string]bool{}
	i := 0 // of the faults, without their further variants: else a lock may meet none with a seed
	for _, f := range faults() {
		if !f.variant {
			i++
		}
		if f.variant && seed >= variantSeeds() {
			continue
		}
		possible := plans(f.name, seed)
		for j, p := range possible {
			if (i+j+seed)%min(share(), len(possible)) != 0 && (seed > 0 || testenv.Race) {
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

// digestVariable makes the test binary print a digest of many runs, and nothing else.
const digestVariable = "LOCKBENCH_DIGEST"

// TestAnotherProcessGivesTheSameBytes runs the same plans in other processes, with other numbers of
// threads and another garbage collector.
func TestAnotherProcessGivesTheSameBytes(t *testing.T) {
	if os.Getenv(digestVariable) != "" {
		fmt.Printf("digest %s\n", digest())
		return
	}
	want := "digest " + digest()
	for _, env := range []string{"GOMAXPROCS=1", "GOMAXPROCS=4", "GOGC=5"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAnotherProcessGivesTheSameBytes$",
			"-test.count=1")
		cmd.Env = append(os.Environ(), digestVariable+"=1", env)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("with %s: %s\nwant %s (%v)", env, out, want, err)
		}
	}
}

func digest() string {
	seeds, faults := uint64(1), []string{"failover", "pause", "none", "partition:replies", "late",
		"restart", "majority-loss"}
	if soak {
		seeds = 50
	}
	faults = faults[:testenv.Large(len(faults), 2)]
	sum := sha256.New()
	for _, lock := range impls.All() {
		for _, fault := range faults {
			for seed := range seeds {
				p, err := quick(lock.Name, fault, seed)
				if err != nil {
					continue
				}
				h, trace, err := record(p, nil)
				fmt.Fprint(sum, h, trace, err)
			}
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}
