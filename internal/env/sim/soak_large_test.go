package sim_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
)

// The variables of a soak that takes hours: a directory, and which seeds ("0-499"; all of them
// without it).
const (
	soakVariable  = "LOCKBENCH_SOAK_DIR"
	seedsVariable = "LOCKBENCH_SOAK_SEEDS"
)

// TestSoakOverProcesses is TestTheSameSeedGivesTheSameBytes in pieces, and over processes. Started
// for the first time it runs every plan of a seed once and keeps a digest of each in the directory;
// started again, in whatever process, it runs them once more and compares. It may be stopped at any
// time and goes on where it was; several may share the work by seeds.
//
// Without a directory it goes through one seed, twice and in this process, and a third time after
// one digest was spoilt, which must be noticed.
func TestSoakOverProcesses(t *testing.T) {
	dir := os.Getenv(soakVariable)
	if dir == "" {
		soakOne(t)
		return
	}
	from, to := 0, 999
	if s := os.Getenv(seedsVariable); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatalf("%s=%s: %v; it is like 0-499", seedsVariable, s, err)
		}
	}
	again := 0
	for seed := from; seed <= to && !t.Failed(); seed++ {
		n, differs := soakSeed(t, dir, seed)
		if differs != "" {
			t.Errorf("seed %d: %s", seed, differs)
		}
		again += n
	}
	t.Logf("seeds %d to %d: %d plans have been run again", from, to, again)
}

func soakOne(t *testing.T) {
	const seed = 500
	dir := t.TempDir()
	once := filepath.Join(dir, fmt.Sprintf("%03d.once", seed))
	if n, differs := soakSeed(t, dir, seed); n != 0 || differs != "" {
		t.Fatalf("the first time %d plans are run again: %s", n, differs)
	}
	whole, err := os.ReadFile(once)
	if err != nil {
		t.Fatal(err)
	}
	spoilt := bytes.Clone(whole)
	spoilt[len(spoilt)-2] ^= 1
	keep(t, once, spoilt)
	if _, differs := soakSeed(t, dir, seed); differs == "" {
		t.Error("a digest that was spoilt is not noticed")
	}
	keep(t, once, whole)
	if n, differs := soakSeed(t, dir, seed); n < testenv.Large(100, 10) || differs != "" {
		t.Errorf("%d plans have been run again: %s", n, differs)
	}
}

// soakSeed brings a seed one step further: from nothing to "seed.once", from there to "seed.twice".
// It returns how many plans it has run for the second time, and the first that differs from the
// first time.
func soakSeed(t *testing.T, dir string, seed int) (again int, differs string) {
	once, both := filepath.Join(dir, fmt.Sprintf("%03d.once", seed)),
		filepath.Join(dir, fmt.Sprintf("%03d.twice", seed))
	if _, err := os.Stat(both); err == nil {
		return 0, ""
	}
	before, err := os.ReadFile(once)
	now := digests(t, seed)
	switch {
	case t.Failed():
	case err != nil:
		keep(t, once, now)
	case !bytes.Equal(before, now):
		return 0, firstDifference(string(before), string(now))
	default:
		keep(t, both, now)
		return bytes.Count(now, []byte("\n")), ""
	}
	return 0, ""
}

// keep writes a file that is whole or not there.
func keep(t *testing.T, name string, b []byte) {
	if err := os.WriteFile(name+".part", b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".part", name); err != nil {
		t.Fatal(err)
	}
}

// digests has one line for each plan of a seed: every lock with every fault, and for the first
// seeds every variant of it.
func digests(t *testing.T, seed int) []byte {
	var all []harness.Plan
	for _, f := range faults() {
		if !f.variant || seed < 20 {
			all = append(all, plans(f.name, seed)...)
		}
	}
	step := testenv.Large(1, 8)
	lines := make([]string, (len(all)+step-1)/step)
	var running sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range lines {
		p := all[i*step]
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			h, trace, err := record(p, nil)
			if err != nil {
				t.Errorf("%s %s seed %d: %v", p.Impl, p.Nemesis, p.Seed, err)
			}
			lines[i] = fmt.Sprintf("%s %s %x\n", p.Impl, p.Nemesis, sha256.Sum256([]byte(h+trace)))
		})
	}
	running.Wait()
	return []byte(strings.Join(lines, ""))
}
