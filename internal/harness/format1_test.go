package harness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lockbench/lockbench/nemesis"
)

// TestPlansOfFormat1 reads what the first version wrote: the same as it would plan today.
func TestPlansOfFormat1(t *testing.T) {
	for _, name := range []string{"getset-failover", "redlock-pause"} {
		f, err := os.Open(filepath.Join("../format1", "testdata", "old", "runs", name, "plan.json"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		p, err := ReadPlan(f)
		if err != nil {
			t.Fatal(err)
		}
		aimed := 0
		for _, s := range p.Scenario {
			if s.Aimed {
				aimed++
			}
			if a, ok := nemesis.ActionOf(s.Do); s.Await == nil && !ok {
				t.Errorf("%s: %q is no action: %v", name, s.Do, a)
			}
		}
		if p.Environment != "sim" || p.Format != PlanFormat || aimed != p.Requires.Hits || aimed != 1 {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
