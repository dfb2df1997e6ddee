package explore

import (
	"slices"
	"testing"
)

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
