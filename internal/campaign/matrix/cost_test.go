package matrix

import "testing"

// TestEachCostRunHasASeed wants runs that differ from each other in the simulator, too.
func TestEachCostRunHasASeed(t *testing.T) {
	o, seeds := Options{Environment: "sim", Seed: 7, Repeat: 5}, map[uint64]bool{}
	for i := range o.CostRuns() {
		p, err := o.CostPlan(o.CostRows()[0], i)
		if err != nil {
			t.Fatal(err)
		}
		seeds[p.Seed] = true
	}
	if len(seeds) != 5 {
		t.Errorf("five runs have the seeds %v", seeds)
	}
}
