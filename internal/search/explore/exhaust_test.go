package explore

import (
	"context"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
)

func exhaustive(t *testing.T, x Exhaustive) ([]Hit, Covered) {
	t.Helper()
	x.Jobs = 2
	hits, c, _, err := x.Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return hits, c
}

// TestHashingChangesNoVerdict goes through the same spaces with and without it.
func TestHashingChangesNoVerdict(t *testing.T) {
	for _, c := range []struct {
		lock, fault string
		bounds      Bounds
		found       bool
	}{
		{"setnx", "none", Bounds{Clients: 2, Rounds: 1, Tries: 2, Preemptions: 2, Expiries: 1}, false},
		{"token-lua", "pause", Bounds{Clients: 2, Rounds: 1, Tries: 6, Faults: 1}, true},
		{"setpx-del", "pause", Bounds{Clients: 2, Rounds: 1, Tries: 6, Preemptions: 1, Faults: 1}, true},
		{"token-lua", "restart-delayed", Bounds{Clients: 2, Rounds: 1, Tries: 3, Faults: 1}, false},
	} {
		letters := map[bool]string{}
		for _, plain := range []bool{false, true} {
			hits, covered := exhaustive(t, Exhaustive{
				Options: harness.RunOptions{Impl: c.lock, Nemesis: c.fault}, Properties: []string{
					"S", "L", "O"},
				Bounds: c.bounds, KeepGoing: true, Plain: plain, Pace: Ticks,
			})
			if !covered.Whole || covered.HarnessErrors > 0 {
				t.Errorf("%s under %s: %s", c.lock, c.fault, covered)
			}
			if plain && covered.Merged > 0 || !plain && covered.States == 0 {
				t.Errorf("%s under %s: hashing %v, but %+v", c.lock, c.fault, !plain, covered)
			}
			for _, l := range []string{"S", "L", "O"} {
				for _, h := range hits {
					if h.Property == l {
						letters[plain] += l
					}
				}
			}
			t.Logf("%s under %s, hashing %v: %s", c.lock, c.fault, !plain, covered)
		}
		if letters[false] != letters[true] || (letters[true] != "") != c.found {
			t.Errorf("%s under %s: %q with hashing, %q without; want some: %v", c.lock, c.fault,
				letters[false], letters[true], c.found)
		}
	}
}

// TestCoveredClaimsNoMoreThanWasDone.
func TestCoveredClaimsNoMoreThanWasDone(t *testing.T) {
	x := Exhaustive{Options: harness.RunOptions{Impl: "token-lua", Nemesis: "none"},
		Bounds: DefaultBounds,
		Limit:  20}
	_, covered := exhaustive(t, x)
	if s := covered.String(); covered.Whole || strings.Contains(s, "all ") ||
		!strings.Contains(s, "not finished") {
		t.Errorf("%s", s)
	}
	whole := Covered{Bounds: Bounds{Clients: 3, Rounds: 1, Expiries: 2, Preemptions: 4},
		Schedules: 26576, Whole: true}
	if s := whole.String(); s !=
		"no violation in all 26,576 schedules of 3 clients, 1 round, 2 expiries, 4 preemptions" {
		t.Errorf("%s", s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, c, _, err := x.Find(ctx); err != nil || c.Whole {
		t.Errorf("interrupted: %s %v", c, err)
	}
	x.Options.Nemesis, x.Bounds.Faults = "race", 1
	if _, _, _, err := x.Find(context.Background()); err == nil {
		t.Error("a race struck anywhere")
	}
}
