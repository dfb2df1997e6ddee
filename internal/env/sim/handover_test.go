package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	recorded "github.com/lockbench/lockbench/internal/history"
)

// TestHandovers: the lock goes from one client to another, also where the client that has released
// it would be faster than all that wait; and a run in which it never does proves nothing.
func TestHandovers(t *testing.T) {
	for _, lock := range []string{"setnx", "getset", "redisson-spin", "token-lua", "redlock"} {
		p := plan(t, harness.RunOptions{Impl: lock, Nemesis: "none", Seed: 1})
		if v := judged(t, p, nil); v.Verdict != checker.Valid || v.Evidence.Handovers < 2 {
			t.Errorf("%s: %s, %d hand-overs in %d grants", lock, v.Summary, v.Evidence.Handovers,
				v.Evidence.Acquisitions)
		}
	}
	hurried := plan(t, harness.RunOptions{Impl: "setnx", Nemesis: "none", Seed: 1,
		For: 2 * time.Second})
	hurried.Rest = 0
	v := judged(t, hurried, nil)
	if v.Evidence.Contended < 5 || v.Evidence.Handovers > 0 || v.Verdict != checker.Unknown ||
		!strings.Contains(v.Summary, "no grant went to another client than the one before") {
		t.Errorf("%d hand-overs, %d contended: %s, %s", v.Evidence.Handovers, v.Evidence.Contended,
			v.Verdict, v.Summary)
	}
	alone := plan(t, harness.RunOptions{Impl: "setnx", Nemesis: "none", Clients: 1})
	if alone.Requires.Handovers != 0 {
		t.Error("a client alone cannot hand the lock over")
	}
}

// judged runs a plan and judges it.
func judged(t *testing.T, p harness.Plan, change func(*sim.Config)) *checker.Verdict {
	t.Helper()
	events, trace, err := record(p, change)
	if err != nil {
		t.Fatal(err)
	}
	h, err := recorded.Read(strings.NewReader(events))
	if err != nil {
		t.Fatal(err)
	}
	commands, err := recorded.ReadTrace(strings.NewReader(trace))
	if err != nil {
		t.Fatal(err)
	}
	return checker.Check(h, commands, checker.Options{})
}
