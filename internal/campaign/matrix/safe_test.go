package matrix_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// TestSafeCellsUnderLoad is a part of `make soak`: scenarios in which nothing is wrong with a lock,
// on real Redis, while three loops keep the machine busy. A machine that is too slow may make a
// verdict unknown, and never a violation.
func TestSafeCellsUnderLoad(t *testing.T) {
	if !testenv.Soak() {
		t.Skip("LOCKBENCH_SOAK is not set")
	}
	testenv.Part(t, "redis")
	const runs, loops, seed = 240, 3, 1
	tasks := safeTasks(t)
	random := rand.New(rand.NewPCG(seed, seed))
	random.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
	for range loops {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = busy.Process.Kill(), busy.Wait() })
	}
	options, run := matrix.Options{Environment: "process", Seed: seed}, process(t.TempDir())
	var mu sync.Mutex
	var begun atomic.Int64
	verdicts := map[checker.Result]int{}
	pool.Each(t.Context(), 2, slices.Values(slices.Repeat(tasks, 1+runs/len(tasks))[:runs]),
		func(task matrix.Task) {
			task.Seed += uint64(begun.Add(1)) << 32
			p, err := options.Plan(task)
			if err != nil {
				t.Error(err)
				return
			}
			v, err := run(t.Context(), p, fmt.Sprint(task.Seed))
			name := fmt.Sprintf("%s under %s, seed %d", task.Row.Name, task.Aim.Nemesis, task.Seed)
			if err != nil {
				t.Logf("%s: the run broke: %v", name, err)
			}
			if v == nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			verdicts[v.Verdict]++
			for _, p := range v.Properties {
				if p.Verdict == checker.Violated {
					t.Errorf("%s: %s: %s", name, p.Property, p.Explanation)
				}
			}
			if v.Verdict == checker.Unknown {
				t.Logf("%s: %s", name, v.Summary)
			}
		})
	t.Logf("%d runs, by verdict: %v", runs, verdicts)
}

// safeTasks are the scenarios of the cells in which nothing is expected and nothing was found, not
// in the matrix and not in the many runs that choose knows. Where clients take a lock over by
// themselves, two can race for it whenever a lease is over: a slow machine makes that happen in any
// cell, and the violation is the lock's own.
func safeTasks(t *testing.T) (safe []matrix.Task) {
	t.Helper()
	known, err := choose.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	all, err := matrix.Options{}.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	often := soaked(known)
	for _, task := range all {
		c := known.Own.Cell(task.Row.Name, task.Column)
		expected, _ := matrix.Expected(task.Row.Name, task.Column)
		if c != nil && c.Known && len(expected) == 0 && !task.Row.Has(impls.Takeover) &&
			!often[[2]string{task.Row.Name, task.Column}] &&
			len(c.Found())+len(c.Unknown()) == 0 {
			safe = append(safe, task)
		}
	}
	return safe
}

// soaked returns the cells, by row and column, in which one of many runs found a violation.
func soaked(known *choose.Record) map[[2]string]bool {
	cells := map[[2]string]bool{}
	for _, o := range known.Often {
		for _, f := range o.Found {
			cells[[2]string{f.Row, f.Column}] = true
		}
	}
	return cells
}
