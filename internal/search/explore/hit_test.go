package explore

import (
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
)

// TestARunBecomesACounterexample takes a plan as a gate has it: more clients and a longer run than
// a search would choose.
func TestARunBecomesACounterexample(t *testing.T) {
	p, err := harness.NewPlan(harness.RunOptions{Environment: "sim", Impl: "token-lua",
		Nemesis: "pause", Seed: 5,
		TTL: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	h, err := HitOf(t.Context(), p, "S")
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := h.Shrink(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if o, err := repeat(t, x); err != nil || !o.Confirmed ||
		x.Plan.Clients >= p.Clients {
		t.Errorf("%v, %v, with %d clients", o, err, x.Plan.Clients)
	}
	if _, err := HitOf(t.Context(), p, "D"); err == nil {
		t.Error("a property that is not violated became a hit")
	}
}
