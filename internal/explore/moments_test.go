package explore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// drawable are the faults whose moment can be drawn.
var drawable = []string{"pause", "crash", "partition", "request-loss", "reply-loss", "late",
	"restart", "restart-delayed", "clock-client", "clock-server", "node-pause", "busy", "node-crash",
	"failover"}

// TestMomentsAreOfTheTable wants each fault that is drawn or injected anywhere to be a fault of the
// nemesis table whose steps are steps that the simulator can do.
func TestMomentsAreOfTheTable(t *testing.T) {
	for _, fault := range slices.Concat(drawable, AnywhereFaults()) {
		if _, _, err := nemesis.Find(fault); err != nil {
			t.Error(err)
		}
		var plans []harness.Plan
		for _, lock := range []string{"token-lua", "redlock"} {
			p, err := planFor(harness.RunOptions{Impl: lock, Nemesis: fault})
			if err != nil {
				continue // a fault of several masters
			}
			if slices.Contains(drawable, fault) {
				n := p
				n.Scenario = draw{rand: rand.New(rand.NewPCG(1, 2)), plan: p}.scenario(fault)
				plans = append(plans, n)
			}
			plans = append(plans, anywhere(p)...)
		}
		if len(plans) == 0 {
			t.Errorf("%s: no lock has a plan", fault)
		}
		for _, p := range plans {
			if err := p.Validate(); err != nil || len(p.Scenario) < 2 {
				t.Errorf("%s under %s: %v, %v", p.Impl, fault, p.Scenario, err)
			}
		}
	}
}

// TestDrawnMoments wants every kind of moment, and faults that last until a time or a moment.
func TestDrawnMoments(t *testing.T) {
	p, err := planFor(harness.RunOptions{Impl: "token-lua", Nemesis: "pause"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for seed := range uint64(100) {
		steps := draw{rand: rand.New(rand.NewPCG(seed, 0)), plan: p}.scenario("pause")
		switch a := steps[0].Await; {
		case a == nil:
			seen["time"]++
		case a.Phase != "":
			seen["phase"]++
		default:
			seen["command "+a.At]++
		}
		var does []string
		for _, s := range steps {
			if s.Do != "" && s.Do != nemesis.Go {
				does = append(does, s.Do)
			}
		}
		got := strings.ReplaceAll(strings.Join(does, " "), "wait ", "")
		if got != "pause unpause" && got != "pause unpause pause unpause" {
			t.Errorf("seed %d: %s", seed, got)
		}
	}
	if len(seen) != 4 {
		t.Errorf("moments are %v", seen)
	}
}

// TestUnknownMoments are refused.
func TestUnknownMoments(t *testing.T) {
	p, err := planFor(harness.RunOptions{Impl: "token-lua", Nemesis: "none"})
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range []string{"race", "minority-loss", "nothing"} {
		if steps := (draw{rand: rand.New(rand.NewPCG(1, 1)), plan: p}).scenario(fault); steps != nil {
			t.Errorf("%s was drawn: %v", fault, steps)
		}
	}
	if p.Nemesis = "race"; anywhere(p) != nil {
		t.Error("a race was injected anywhere")
	}
}

// TestClientsDwell: between two holds any client may take its time; inside only one whose lock
// renews its lease, or the search would find its own pause.
func TestClientsDwell(t *testing.T) {
	t.Parallel()
	for impl, inside := range map[string]bool{"token-lua": false, "redisson": true} {
		p, err := planFor(harness.RunOptions{Impl: impl, Nemesis: "partition"})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		d := draw{rand: rand.New(rand.NewPCG(7, 8)), plan: p}
		for range 1000 {
			for _, s := range d.scenario("partition") {
				if s.Await != nil && s.Await.As == "slow" {
					seen[s.Await.Phase] = true
				}
			}
		}
		if !seen[nemesis.Released] || seen[nemesis.Granted] != inside {
			t.Errorf("%s: clients dwell at %v", impl, seen)
		}
	}
}
