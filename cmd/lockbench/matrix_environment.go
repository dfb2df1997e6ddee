package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/lockbench/lockbench/internal/store"
)

// processEnvironment carries out a campaign's runs, each in an environment of real processes of its
// own.
type processEnvironment struct {
	root string // the campaign's directory

	mu       sync.Mutex
	versions map[string]string
}

// run is batch.Runner.
func (w *processEnvironment) run(ctx context.Context, p harness.Plan,
	name string) (*checker.Verdict,
	error) {
	dir := filepath.Join(w.root, name)
	if err := os.RemoveAll(dir); err != nil { // what an interrupted campaign left
		return nil, err
	}
	r, err := runner.Run(ctx, p, runner.Options{
		Dir: dir, Command: "lockbench run --plan " + filepath.Join(dir, store.Plan),
	})
	if r == nil {
		return nil, err
	}
	w.note(r.History.Header.Versions)
	return r.Verdict, err
}

func (w *processEnvironment) note(versions map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.versions = maps.Clone(versions)
}

func (w *processEnvironment) found() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.versions
}
