package harness

import (
	"testing"

	"github.com/lockbench/lockbench/nemesis"
)

// TestTheSuccessorOfALateHolderWritesFirst wants a plan for a resource that looks at tokens to let
// the client that was granted the lock later write before the one that was paused, and no other
// plan to change.
func TestTheSuccessorOfALateHolderWritesFirst(t *testing.T) {
	for workload, want := range map[string][]string{"fenced": {"successor", "owner", ""},
		"counter": {"owner", ""}} {
		p, err := NewPlan(RunOptions{Impl: "redisson-fenced", NoWatchdog: true, Nemesis: "pause",
			Workload: workload})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range p.Scenario {
			if s.Do == nemesis.Go {
				got = append(got, s.Target)
			}
		}
		if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%s: %q go on", workload, got)
		}
	}
}
