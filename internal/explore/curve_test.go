package explore

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
)

// TestWhereItWasDecided: a race without a fault is rare from the beginning on and sure at the end,
// and the step that decided it lies between the two. Done with three cores it is the same.
func TestWhereItWasDecided(t *testing.T) {
	t.Parallel()
	s := Search{Options: harness.RunOptions{Impl: "setnx-del-expired", Nemesis: "none"},
		Properties: []string{"S"}, Schedule: Walk, Moments: Aimed, Seeds: 100, Jobs: 2}
	hits, _, err := s.Find(t.Context())
	if err != nil || len(hits) == 0 || hits[0].Run != int(hits[0].Seed)+1 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	x, err := hits[0].Settle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	steps := []int{0, len(x.Steps) / 2, len(x.Steps)}
	points := measure(t.Context(), x, steps, 60, 3, new(atomic.Int64))
	if !slices.Equal(points, measure(t.Context(), x, steps, 60, 1, new(atomic.Int64))) {
		t.Error("it depends on the cores")
	}
	if points[0].Violations > 20 || points[2].Violations < 57 {
		t.Errorf("%v of 60", points)
	}
	c := curve(t.Context(), x, 2, nil)
	if err := x.Validate(); err != nil || c.Decided < 1 || c.Decided > len(x.Steps) {
		t.Errorf("%v: %+v, of %d steps", err, c, len(x.Steps))
	}
}

// TestJumpsAreLookedAt: where neighbours differ most the steps between are asked, too.
func TestJumpsAreLookedAt(t *testing.T) {
	t.Parallel()
	for last, want := range map[int][]int{0: {0}, 2: {0, 1, 2}, 30: {0, 10, 20, 30}} {
		if got := evenly(last, 4); !slices.Equal(got, want) {
			t.Errorf("%d: %v", last, got)
		}
	}
	if got := jump(nil); got != nil {
		t.Error(got)
	}
}
