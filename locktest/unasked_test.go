package locktest

import (
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestASearchNamesWhatItWasNotAsked: a lock with a lease is not asked about S under a fault.
func TestASearchNamesWhatItWasNotAsked(t *testing.T) {
	const want = "; not asked: S (Options.Properties asks): no lease keeps it if its holder is " +
		"stopped for longer"
	if got := unasked((Lock{TTL: 1e9}).promises("pause")); got != want {
		t.Errorf("under a fault: %q", got)
	}
	for _, all := range [][]string{(Lock{TTL: 1e9}).promises("none"), (Lock{}).promises("pause"),
		{history.MutualExclusion}} {
		if got := unasked(all); got != "" {
			t.Errorf("%v: %q", all, got)
		}
	}
}
