package harness_test

import (
	"testing"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
)

// TestAHolderAtABreakpointLeavesInTime: a scenario that waits for another client for less than a
// lease keeps no holder inside beyond its lease. One that waits for longer means to.
func TestAHolderAtABreakpointLeavesInTime(t *testing.T) {
	const lease = 2 * time.Second // that of the plan
	for wait, inTime := range map[time.Duration]bool{1500 * time.Millisecond: true,
		3 * time.Second: false} {
		f := newFake()
		f.lease = lease
		h, err := play(t, f, t.Context(),
			nemesis.Step{Await: &nemesis.Await{As: "owner", Phase: nemesis.Granted, Contended: true}},
			nemesis.Step{Do: nemesis.Wait, For: history.Duration(lease / 2)},
			nemesis.Step{Await: &nemesis.Await{Client: nemesis.Other, Phase: nemesis.Granted},
				For: history.Duration(wait)},
			nemesis.Step{Do: nemesis.Go, Target: "owner"}, nemesis.Step{Do: nemesis.Go})
		if err != nil {
			t.Fatal(err)
		}
		longest := time.Duration(0)
		granted := map[int]int64{}
		for _, e := range h.Events {
			switch {
			case e.F == history.Acquire && e.Type == history.OK:
				granted[e.Process] = e.T
			case e.F == history.Release && e.Type == history.Invoke:
				longest = max(longest, time.Duration(e.T-granted[e.Process]))
			}
		}
		if longest < lease/2 || longest < lease != inTime {
			t.Errorf("waiting for %v: a holder was inside for %v", wait, longest)
		}
	}
}
