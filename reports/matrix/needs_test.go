package matrix

import (
	"slices"
	"testing"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
)

// TestEachFaultIsANeed: a new column of the matrix goes into needsOf, or here with the reason.
func TestEachFaultIsANeed(t *testing.T) {
	away := "servers die and stay away, which lasts; no lock needs that they keep anything"
	without := map[string]string{"none": "nothing happens", "node-crash": away, "minority-loss": away,
		"majority-loss": away}
	for _, c := range matrix.Columns() {
		asked := slices.ContainsFunc(needsOf, func(a asks) bool {
			return a.except == c.Name || slices.Contains(a.columns, c.Name)
		})
		if why := without[c.Name]; asked == (why != "") {
			t.Errorf("%s is asked: %v; without, because %q", c.Name, asked, why)
		}
	}
}
