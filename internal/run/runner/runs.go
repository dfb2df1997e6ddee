package runner

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/store"
)

// Runs carries out the runs of a matrix or a gate, each in an environment of its own. Its worker
// processes serve one run after the other. Several goroutines may call its methods at once. Close
// ends it.
type Runs struct {
	Root string // the directory of the batch; constant during a run

	workers  server.WorkerPool
	mu       sync.Mutex
	versions map[string]string
}

// Run carries out one run, saves it in the directory called name below Root, and judges it. It
// first removes the files of an interrupted run there, and compresses the trace at the end. The
// error explains a missing verdict, or a verdict that is worth less than planned, as for the
// function Run.
func (w *Runs) Run(ctx context.Context, p harness.Plan, name string) (*checker.Verdict, error) {
	dir := filepath.Join(w.Root, filepath.FromSlash(name))
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	r, err := Run(ctx, p, Options{Dir: dir, Workers: &w.workers,
		Command: advice.RunPlan.Fill(filepath.Join(dir, store.Plan)).Line})
	if r == nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.versions = maps.Clone(r.History.Header.Versions)
	return r.Verdict, errors.Join(err, store.Pack(dir))
}

// Close ends the worker processes and returns when they are gone. It must not be called during a
// run.
func (w *Runs) Close() { w.workers.Close() }

// Versions returns the versions of the servers in the last run, or nil if there was no run.
func (w *Runs) Versions() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.versions
}
