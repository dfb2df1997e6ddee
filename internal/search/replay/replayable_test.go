package replay

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/nemesis"
)

// TestWhichFailoversCanBeReplayed: what the link has dropped is lost on real servers, too; what was
// only under way cannot be lost there on purpose.
func TestWhichFailoversCanBeReplayed(t *testing.T) {
	for _, name := range []string{"token-lua-failover-cut-S", "setnx-failover-after-S",
		"redisson-failover-cut-S"} {
		if err := Possible(keptCase(t, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	late := explore.Search{Options: harness.RunOptions{Impl: "token-lua", Nemesis: "failover:delayed"},
		Properties: []string{"L"}, Schedule: explore.Random, Moments: explore.Aimed, Seeds: 200, Jobs: 1}
	found, _, err := late.Find(t.Context())
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	c, err := found[0].Case.Settle(t.Context(), found[0].Property)
	if err != nil {
		t.Fatal(err)
	}
	if err := Possible(c); err == nil || !strings.Contains(err.Error(), "still under way") {
		t.Errorf("%s: %v", late.Options.Nemesis, err)
	}
	x := explore.Exhaustive{
		Options: harness.RunOptions{Impl: "token-lua", Nemesis: nemesis.Failover}, Properties: []string{
			"L"},
		Bounds: explore.Bounds{Clients: 2, Rounds: 1, Tries: 3, Faults: 1}, Pace: explore.Ticks,
	}
	hits, covered, _, err := x.Find(t.Context())
	if err != nil || len(hits) == 0 {
		t.Fatal(covered, err)
	}
	c, err = hits[0].Case.Settle(t.Context(), hits[0].Property)
	if err != nil {
		t.Fatal(err)
	}
	if err := Possible(c); err == nil || !strings.Contains(err.Error(), "still under way") {
		t.Errorf("a failover at any place: %v", err)
	}
}
