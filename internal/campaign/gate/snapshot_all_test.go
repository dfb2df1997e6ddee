package gate

import (
	"path/filepath"
	"testing"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// TestTheSnapshotOfEachAdapterCanBeRead: `gate --init` writes no file that a gate refuses.
func TestTheSnapshotOfEachAdapterCanBeRead(t *testing.T) {
	t.Parallel()
	for _, a := range adapters.All() {
		canBeRead(t, a.Name)
		for _, v := range a.Variants {
			canBeRead(t, a.Name+" "+v.Name)
		}
	}
}

func canBeRead(t *testing.T, lock string) {
	t.Helper()
	s := &Snapshot{Adapter: lock, Environment: runner.Process, Seed: 1, Runs: 1,
		file: filepath.Join(t.TempDir(), "lockbench.yaml")}
	err := s.find(matrix.Options{Adapters: []string{lock}, TTL: adapterLease,
		Environment: s.Environment})
	if err != nil {
		t.Errorf("%s: %v", lock, err)
		return
	}
	g, err := Read(s.file, []byte(s.text(nil)))
	if err != nil {
		t.Errorf("%s: %v", lock, err)
		return
	}
	for _, e := range g.Entries {
		if _, err := e.Plan(1); err != nil {
			t.Errorf("%s: %v", lock, err)
		}
	}
}
