package spec_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/lab/spec"
)

// TestStoredRuns holds the runs below LOCKBENCH_STORE to their specifications.
func TestStoredRuns(t *testing.T) {
	dir := os.Getenv("LOCKBENCH_STORE")
	if dir == "" {
		t.Skip("LOCKBENCH_STORE names no folder of runs")
	}
	runs, commands := 0, 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "plan.json" {
			return nil
		}
		b, _ := os.ReadFile(path)
		var p harness.Plan
		if json.Unmarshal(b, &p) != nil || p.Adapter != nil || !spec.Has(p.Impl) {
			return nil
		}
		r, err := store.Load(filepath.Dir(path))
		if err != nil {
			return nil
		}
		runs, commands = runs+1, commands+len(r.Trace)
		if d := spec.Validate(r.History, r.Trace, p.Worker().Options()); d != nil {
			t.Errorf("%s: %v", filepath.Dir(path), d)
		}
		return nil
	})
	t.Logf("%d runs, %d commands", runs, commands)
}
