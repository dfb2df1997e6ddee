//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// safeCells are runs in which a right lock has nothing to answer for, however slow the machine is.
var safeCells = []string{
	"--impl token-lua --nemesis none",
	"--impl token-lua --nemesis none --workload counter",
	"--impl token-lua --nemesis crash",
	"--impl redisson --nemesis none --workload reentrant",
	"--impl redisson --nemesis crash",
	"--impl redlock --nemesis none",
	"--impl redlock --nemesis minority-loss",
	"--adapter redis-py --nemesis none --workload counter",
	"--adapter redsync --nemesis none --masters 3",
	"--adapter redisson --nemesis none",
	"--adapter etcd-mutex --variant ttl --nemesis none --workload counter",
	"--adapter etcd-mutex --variant ttl --nemesis crash",
	"--adapter go-zookeeper --variant lock --nemesis none --workload counter",
	"--adapter curator --variant mutex --nemesis none",
	"--adapter postgres --variant advisory --nemesis none --workload counter",
	"--adapter postgres --variant advisory --nemesis crash",
	"--adapter postgres --variant lease --nemesis none --workload counter",
	"--adapter mariadb --variant get-lock --nemesis none --workload counter",
}

// TestStallsAccuseNoLock stops lockbench, clients and servers for 0.1 to 3 s at any time, with
// signals that lockbench knows nothing of, while right locks run without a fault that could break
// them: no letter may be violated. With LOCKBENCH_SOAK it makes 300 runs, six at a time, while
// twenty programs compute without end: most of a run is spent stopped.
func TestStallsAccuseNoLock(t *testing.T) {
	testenv.Part(t, "redis")
	testenv.SkipRace(t)
	t.Parallel()
	runs, atOnce := 4, 1
	if testenv.Soak() {
		runs, atOnce = 300, 6
		keepBusy(t, 20)
	}
	first := commitSeed()
	var judged atomic.Int64
	pool.Each(t.Context(), atOnce, indices(runs), func(i uint64) {
		cell := strings.Fields(safeCells[(first+i)%uint64(len(safeCells))])
		if !runsHere(t, cell) {
			return
		}
		t.Run(strings.Join(cell, " "), func(t *testing.T) {
			if runStalled(t, first+i, append([]string{"run", "--seed", fmt.Sprint(i + 1)}, cell...)) {
				judged.Add(1)
			}
		})
	})
	t.Logf("%d runs were judged", judged.Load())
	if testenv.Soak() && int(judged.Load()) < runs*2/3 {
		t.Errorf("only %d of %d runs were judged: the others broke", judged.Load(), runs)
	}
}

// indices returns the numbers below n.
func indices(n int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range uint64(n) {
			if !yield(i) {
				return
			}
		}
	}
}

// commitSeed returns a number that changes with the commit. LOCKBENCH_STALLS sets it.
func commitSeed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("LOCKBENCH_STALLS"), 10, 64); err == nil {
		return n
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(testenv.Commit()))
	return h.Sum64() % 1_000_000
}

// keepBusy starts programs that compute until the test ends, or its process.
func keepBusy(t *testing.T, n int) {
	for range n {
		busy := exec.Command("sh", "-c", "while kill -0 $PPID; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = busy.Process.Kill(), busy.Wait() })
	}
}

// runStalled makes one run, stops its processes by chance, and wants no letter to be violated. It
// reports whether the run was judged.
func runStalled(t *testing.T, seed uint64, args []string) (judged bool) {
	dir := t.TempDir()
	store := filepath.Join(dir, "store")
	c := exec.Command("lockbench", append(args, "--store", store, "--thorough")...)
	var said strings.Builder
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = c.Wait() }()
	stops := stall(c.Process.Pid, rand.New(rand.NewPCG(seed, 1)), ended)
	<-ended
	text, err := os.ReadFile(filepath.Join(store, "latest", "verdict.json"))
	if err != nil {
		t.Logf("no verdict after %v: %s", stops, said.String()) // the run broke, and says so
		return false
	}
	var v checker.Verdict
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Properties {
		if p.Verdict == checker.Violated {
			t.Errorf("LOCKBENCH_STALLS=%d: %s is violated after %v:\n%s", seed, p.Property, stops,
				said.String())
		}
	}
	if t.Failed() {
		keepRun(t, store)
	}
	t.Logf("exit code %d after %v", c.ProcessState.ExitCode(), stops)
	return true
}

// keepRun leaves the store of a failed run where LOCKBENCH_KEEP says.
func keepRun(t *testing.T, store string) {
	if to := os.Getenv("LOCKBENCH_KEEP"); to != "" {
		if err := os.CopyFS(filepath.Join(to, strings.ReplaceAll(t.Name(), "/", "_")),
			os.DirFS(store)); err != nil {
			t.Log(err)
		}
	}
}

// stall stops a process or one of its descendants now and then, until the process ends. It returns
// for how long each was stopped.
func stall(pid int, r *rand.Rand, ended <-chan struct{}) (stops []string) {
	for {
		select {
		case <-ended:
			return stops
		case <-time.After(time.Duration(r.IntN(1500)) * time.Millisecond):
		}
		all := append([]int{pid}, proc.Descendants(pid)...)
		which := all[r.IntN(len(all))]
		d := 100*time.Millisecond + time.Duration(r.Int64N(int64(2900*time.Millisecond)))
		name, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(which), "comm"))
		if syscall.Kill(which, syscall.SIGSTOP) != nil {
			continue
		}
		stops = append(stops, strings.TrimSpace(string(name))+" for "+d.Round(time.Millisecond).String())
		time.Sleep(d)
		_ = syscall.Kill(which, syscall.SIGCONT)
	}
}
