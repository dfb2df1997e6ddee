package batch

import (
	"testing"

	"github.com/lockbench/lockbench/checker"
)

// TestAFindingTellsOwnersInShort: a gate and a matrix show the story as a run's summary does.
func TestAFindingTellsOwnersInShort(t *testing.T) {
	v := &checker.Verdict{Properties: []checker.Property{{Property: "S", Verdict: checker.Violated,
		Explanation: "Client 1 wrote 0a1b2c3d-4e5f-6789-abcd-ef0123456789."}}}
	if got := NewFinding(v, nil).Explanations["S"]; got != "Client 1 wrote 0a1b2c…6789." {
		t.Errorf("%q", got)
	}
}
