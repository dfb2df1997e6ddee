package runner_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
)

// onRedis is a plan for real servers with the usual three clients.
func onRedis(t *testing.T, impl, fault string) harness.Plan {
	t.Helper()
	testenv.Part(t, "redis")
	p, _, err := runner.Prepare(t.Context(), harness.RunOptions{Impl: impl, Nemesis: fault, Clients: 3,
		Environment: runner.Process, Seed: 5, TTL: 500 * time.Millisecond, Thorough: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// owners are the values that each client of a run of token-lua wrote into the lock first, in their
// order, of which each client has tried at least three.
func owners(t *testing.T, dir string) map[int][]string {
	t.Helper()
	r, err := store.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	of := map[int][]string{}
	for _, c := range r.Trace {
		if strings.EqualFold(c.Args[0], "set") {
			if value := c.Args[2]; !slices.Contains(of[c.Process], value) && len(of[c.Process]) < 3 {
				of[c.Process] = append(of[c.Process], value)
			}
		}
	}
	return of
}

// workers are the processes that this one has started and that are no server.
func workers() (pids []int) {
	for _, pid := range proc.Descendants(os.Getpid()) {
		if name, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); name == self {
			pids = append(pids, pid)
		}
	}
	return pids
}

var self, _ = os.Executable()

// TestRunsKeepTheirWorkers: a run after another one, of another lock under another fault, is what
// it is alone. A worker that was killed or paused is replaced, and none outlives the whole.
func TestRunsKeepTheirWorkers(t *testing.T) {
	alone := filepath.Join(t.TempDir(), "alone")
	want, err := runner.Run(t.Context(), onRedis(t, "token-lua", "none"), runner.Options{Dir: alone})
	if err != nil || len(workers()) > 0 {
		t.Fatal(err, workers())
	}
	runs := &runner.Runs{Root: t.TempDir()}
	var kept []int
	for i, c := range []struct{ impl, fault string }{{"redisson", "failover"}, {"token-lua", "none"},
		{"redlock", "crash"}, {"getset", "pause"}, {"token-lua", "none"}} {
		dir := fmt.Sprint(i)
		v, err := runs.Run(t.Context(), onRedis(t, c.impl, c.fault), dir)
		if err != nil {
			t.Fatalf("%s under %s: %v", c.impl, c.fault, err)
		}
		before := kept
		kept = workers()
		stayed := 0
		for _, pid := range kept {
			if slices.Contains(before, pid) {
				stayed++
			}
		}
		lost := map[string]int{"crash": 1, "pause": 1}[c.fault]
		if len(kept) != 3-lost || stayed < len(before)-lost {
			t.Errorf("%s under %s: %d workers are left, %d of them stayed", c.impl, c.fault, len(kept),
				stayed)
		}
		if c.impl != "token-lua" {
			continue
		}
		if v.Verdict != want.Verdict.Verdict {
			t.Errorf("%s, and %s alone", v.Verdict, want.Verdict.Verdict)
		}
		first, again := owners(t, alone), owners(t, filepath.Join(runs.Root, dir))
		if d := cmp.Diff(first, again); d != "" || len(first) != 3 {
			t.Errorf("other owners than alone:\n%s", d)
		}
	}
	runs.Close()
	if left := workers(); len(left) > 0 {
		t.Errorf("%d workers are left", len(left))
	}
}

// TestAnInterruptedRunLeavesNoWorker: those that are in the middle of a run end with the whole,
// too.
func TestAnInterruptedRunLeavesNoWorker(t *testing.T) {
	runs, p := &runner.Runs{Root: t.TempDir()}, onRedis(t, "token-lua", "none")
	p.Requires.Contended = 1 << 20
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		_, err := runs.Run(ctx, p, "0")
		over <- err
	}()
	for history := filepath.Join(runs.Root, "0", store.History); !grows(history); {
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-over; err == nil {
		t.Error("it was not interrupted")
	}
	runs.Close()
	if left := workers(); len(left) > 0 {
		t.Errorf("%d workers are left", len(left))
	}
}

// grows reports whether something of a history was written.
func grows(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Size() > 0
}
