package harness_test

import (
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// TestAHolderAtABreakpointLeavesInTime: a scenario that waits for another client for less than a
// lease keeps no holder inside beyond its lease. One that waits for longer means to, and so does
// one that begins to wait when the lease is over.
func TestAHolderAtABreakpointLeavesInTime(t *testing.T) {
	const lease = 2 * time.Second // that of the plan
	for _, c := range []struct {
		before, wait, least, most time.Duration // least and most: how long a holder is inside
	}{
		{lease / 2, 3 * lease / 4, lease / 2, lease},
		{lease / 2, 3 * lease / 2, lease, 3 * lease},
		{5 * lease / 4, lease / 2, 7 * lease / 4, 3 * lease},
	} {
		f := newFake()
		f.lease = lease
		h, err := play(t, f, t.Context(),
			nemesis.Step{Await: &nemesis.Await{As: "owner", Phase: nemesis.Granted, Contended: true}},
			nemesis.Step{Do: nemesis.Wait, For: history.Duration(c.before)},
			nemesis.Step{Await: &nemesis.Await{Client: nemesis.Other, Phase: nemesis.Granted},
				For: history.Duration(c.wait)},
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
		if longest < c.least || longest >= c.most {
			t.Errorf("%v and then waiting for %v: a holder was inside for %v", c.before, c.wait, longest)
		}
	}
}
