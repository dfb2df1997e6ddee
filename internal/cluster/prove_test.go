package cluster

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/cluster/proxy"
	"github.com/lockbench/lockbench/nemesis"
)

// TestAFaultWithoutProofIsRefused keeps a new action from being believed: an effect that this
// environment cannot see would make every lock look safe.
func TestAFaultWithoutProofIsRefused(t *testing.T) {
	e := &Environment{links: &proxy.Links{}}
	if err := e.Prove(nemesis.Step{Do: nemesis.Heal, Target: "n0"}); err != nil {
		t.Errorf("a repair needs no proof: %v", err)
	}
	for _, a := range nemesis.Actions() {
		err := e.Prove(nemesis.Step{Do: a.Name, Target: "nothing"})
		if err != nil && strings.Contains(err.Error(), "has no proof of it") {
			t.Error(err)
		}
	}
}
