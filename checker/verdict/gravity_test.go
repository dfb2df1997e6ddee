package verdict

import (
	"slices"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestEveryPropertyHasAPlaceInHeadlines: Rank takes a property without a place for the worst.
func TestEveryPropertyHasAPlaceInHeadlines(t *testing.T) {
	for _, p := range history.Properties() {
		if !slices.Contains(gravity, p) {
			t.Errorf("%s is not in gravity", p)
		}
	}
}
