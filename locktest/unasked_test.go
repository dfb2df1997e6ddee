package locktest

import (
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestASearchNamesWhatItWasNotAsked: a lock with a lease is not asked about S and U under a fault.
func TestASearchNamesWhatItWasNotAsked(t *testing.T) {
	const want = "; not asked: S and U (Options.Properties asks): no lease keeps them if its holder " +
		"is stopped for longer"
	if got := unasked((Lock{TTL: 1e9}).promises("pause")); got != want {
		t.Errorf("under a fault: %q", got)
	}
	if got := unasked((Lock{TTL: 1e9}).promises("none")); got != "" {
		t.Errorf("without a fault: %q", got)
	}
	const u = "; not asked: U (Options.Properties asks): no lease keeps them if its holder is " +
		"stopped for longer"
	if got := unasked([]string{history.MutualExclusion}); got != u {
		t.Errorf("S alone: %q", got)
	}
}
