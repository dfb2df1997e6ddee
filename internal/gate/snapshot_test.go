package gate

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/testenv"
)

// TestASnapshotHasOnlyWhatIsPossible: the wall clock of the Go adapter of the example repository
// cannot be moved. Its cells are left away, with a note, and each that is there can be run.
func TestASnapshotHasOnlyWhatIsPossible(t *testing.T) {
	t.Parallel()
	testenv.Part(t, "redis")
	s := Snapshot{Adapter: "../../docs/examples/own-lock/go", Environment: "process"}
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
		!strings.Contains(notes, "under clock-client: ") {
		t.Errorf("%d entries; not possible:\n%s", len(g.Entries), notes)
	}
}
