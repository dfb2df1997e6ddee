package adapters

import (
	"slices"
	"testing"

	"github.com/lockbench/lockbench/nemesis"
)

// TestSystemsAreThoseOfFaults: a manifest names exactly the systems that nemesis knows. The room
// adapters may not import nemesis, so it has a list of its own.
func TestSystemsAreThoseOfFaults(t *testing.T) {
	have := slices.Sorted(slices.Values(systems))
	want := slices.Sorted(slices.Values(nemesis.Systems()))
	if !slices.Equal(have, want) {
		t.Errorf("adapter.yaml may name the systems %v; nemesis knows %v", have, want)
	}
}
