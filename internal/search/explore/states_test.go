package explore

import (
	"context"
	"testing"

	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// TestASearchKeepsABoundedNumberOfStates counts more states than a search keeps, and as many in a
// search that prunes by them, which keeps all.
func TestASearchKeepsABoundedNumberOfStates(t *testing.T) {
	bounded, exact := &states{most: 1 << 10}, &states{}
	for i := range uint64(1 << 12) {
		if !bounded.add(i) || !exact.add(i) || exact.add(i) {
			t.Fatalf("state %d: what was not seen is new", i)
		}
	}
	if n := bounded.count(); n != 1<<10 {
		t.Errorf("%d states are kept", n)
	}
	if n := exact.count(); n != 1<<12 {
		t.Errorf("%d of all states are kept", n)
	}
	if s := (Progress{States: mostStates}).states(); s != "262144 distinct states or more" {
		t.Error(s)
	}
}

// TestTheBudgetEndsShrinking gives a shrinker no more to spend: the case stays as it is.
func TestTheBudgetEndsShrinking(t *testing.T) {
	s := &shrinker{ctx: context.Background(), hit: Hit{Property: "S"}, fresh: defaultFresh}
	s.cost.Store(shrinkBudget)
	c := s.shrink(simrun.Case{Deviations: map[string]int{"a": 2, "b": 1}})
	if len(c.Deviations) != 2 || c.Deviations["a"] != 2 || s.runs.Load() > 0 {
		t.Errorf("%v after %d runs", c.Deviations, s.runs.Load())
	}
}
