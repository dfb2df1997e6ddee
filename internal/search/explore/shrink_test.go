package explore

import (
	"context"
	"testing"

	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// TestCounterexamplesAreLocallyMinimal takes each single item out of ten counterexamples of
// different locks and faults: a deviation, a step of the scenario, a client, a round, a master.
// Without it the same violation must be gone.
func TestCounterexamplesAreLocallyMinimal(t *testing.T) {
	for _, name := range []string{
		"setnx-crash-holding-D", "setnx-del-expired-crash-takeover-S", "setnx-expire-late-expire-S",
		"getset-clock-client-plus-S",
		"getset-redispy-pause-long-S", "setpx-del-late-release-S", "setpx-getdel-pause-between-L",
		"token-lua-failover-cut-S",
		"redisson-failover-cut-S", "redlock-clock-server-plus-L",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := counterexample.ReadFile("testdata/corpus/" + name + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			s := &shrinker{ctx: context.Background(),
				hit: Hit{Property: c.Verdict.Property, Class: c.Verdict.Class}}
			if !s.fails(simrun.CaseOf(c)) {
				t.Fatal("it does not fail as it is")
			}
			for deviation := range c.Deviations {
				n := simrun.CaseOf(c).Clone()
				delete(n.Deviations, deviation)
				if s.fails(n) {
					t.Errorf("it fails without the deviation %s, too", deviation)
				}
			}
			for i, p := range reductions(c.Plan) {
				n := simrun.CaseOf(c).Clone()
				if n.Plan = p; s.fails(n) {
					t.Errorf("it fails in smaller environment %d, too: %d clients, %d rounds, poll %v, %v", i,
						p.Clients,
						p.Rounds, p.Poll, p.Scenario)
				}
			}
		})
	}
}

// TestShrinkWantsTheSameViolation does not take another one for it.
func TestShrinkWantsTheSameViolation(t *testing.T) {
	c, err := counterexample.ReadFile("testdata/corpus/getset-pause-long-S.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*shrinker{{hit: Hit{Property: "D"}},
		{hit: Hit{Property: "S", Class: "clock"}}} {
		if s.ctx = context.Background(); s.fails(simrun.CaseOf(c)) {
			t.Errorf("%s, %q is not what it violates", s.hit.Property, s.hit.Class)
		}
	}
}
