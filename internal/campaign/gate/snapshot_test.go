package gate

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// TestASnapshotHasOnlyWhatIsPossible: the wall clock of the Go adapter of the example repository
// cannot be moved. Its cells are left away, with a note, and each that is there can be run.
func TestASnapshotHasOnlyWhatIsPossible(t *testing.T) {
	t.Parallel()
	testenv.Part(t, "redis")
	s := Snapshot{Adapter: "../../../docs/examples/own-lock/go", Environment: "process"}
	g, err := s.Prepare(t.Context(), filepath.Join(t.TempDir(), "lockbench.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range g.Entries {
		if _, err := e.Plan(1); err != nil {
			t.Error(err)
		}
	}
	if notes := strings.Join(s.notes, "\n"); len(g.Entries) < 10 ||
		!strings.Contains(notes, "under minority-loss: ") {
		t.Errorf("%d entries; not possible:\n%s", len(g.Entries), notes)
	}
}

// TestASnapshotAsksHowALockRenews: without its watchdog, unless a row of the matrix does, and with
// few renewals under long holds, where it renews at all. Each entry can be run.
func TestASnapshotAsksHowALockRenews(t *testing.T) {
	t.Parallel()
	for impl, want := range map[string][]string{
		"redisson":       {"redisson watchdog with two renewals"},
		"redisson-multi": {"redisson-multi with two renewals", "redisson-multi without watchdog"},
		"redlock":        {"redlock per attempt with two renewals", "redlock per call with two renewals"},
		"token-lua":      nil,
	} {
		g, err := (&Snapshot{Impl: impl}).Prepare(t.Context(), filepath.Join(t.TempDir(), "gate.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range g.Entries {
			if _, err := e.Plan(1); err != nil {
				t.Error(err)
			}
			if strings.Contains(e.Name, "renewals") || strings.Contains(e.Name, "without") {
				got = append(got, e.Name)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", impl, got, want)
		}
	}
}

// TestASnapshotSaysWhichCommandIsLacking: a lock that no server here can run leaves no empty file.
func TestASnapshotSaysWhichCommandIsLacking(t *testing.T) {
	testenv.Part(t, "redis")
	a, err := adapters.Find("token-ifeq")
	if err != nil {
		t.Fatal(err)
	}
	if !testenv.Required("adapters") && !a.IsSetUp() {
		t.Skip("not set up here: lockbench adapters setup ", a.Name)
	}
	s := &Snapshot{Adapter: "token-ifeq delifeq", Environment: runner.Process,
		Faults: []string{"none"}}
	_, err = s.Prepare(t.Context(), filepath.Join(t.TempDir(), "lockbench.yaml"))
	if err == nil || !strings.Contains(err.Error(), "has no DELIFEQ; it needs Valkey 9.0 or newer") {
		t.Error(err)
	}
}
