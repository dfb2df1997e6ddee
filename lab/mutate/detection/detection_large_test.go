package detection

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/lab/mutate"
)

// TestTheRecordIsOfTheseLocks: the record has the mutants that the source has today.
func TestTheRecordIsOfTheseLocks(t *testing.T) {
	t.Parallel()
	testenv.SkipRace(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	mutants, err := Mutants(root)
	if err != nil {
		t.Fatal(err)
	}
	r := recorded(t)
	if len(r.Mutants) != len(mutants) {
		t.Errorf("%d mutants are recorded, of %d", len(r.Mutants), len(mutants))
	}
	for _, m := range mutants {
		if old := r.lookup(m); old == nil {
			t.Errorf("not recorded: %s; `cd lab && go run ./mutate/detect -missing` asks for it", m.Key())
		}
	}
}

// TestWhatWasFoundIsFoundAgain asks some mutants again, others with each commit, and with
// LOCKBENCH_SOAK all.
func TestWhatWasFoundIsFoundAgain(t *testing.T) {
	t.Parallel()
	testenv.SkipRace(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	r := recorded(t)
	wanted := drawnSample(r, testenv.Commit())
	c := Campaign{Root: root, Known: r.Known, Jobs: 2, Aimed: 2, Drawn: 48,
		Ask: func(m mutate.Mutant) bool {
			return slices.Contains(wanted, m.Key())
		}}
	if os.Getenv("LOCKBENCH_SOAK") == "" {
		c.Drawn = 0 // only what scenarios find that are aimed
	}
	again, err := c.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Mutants) != len(wanted) {
		t.Errorf("%d mutants of %d", len(again.Mutants), len(wanted))
	}
	for _, m := range again.Mutants {
		t.Logf("%s: %v %v", m.Key(), m.Aimed, m.Drawn)
		if !m.Found() {
			t.Errorf("not found any more: %s (%s %s)", m.Key(), m.End, m.Words)
		}
	}
}
