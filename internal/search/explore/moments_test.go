package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/nemesis"
)

// drawable are the faults whose moment can be drawn.
var drawable = []string{"pause", "crash", "partition", "request-loss", "reply-loss", "late",
	"restart", "restart-delayed", "clock-client", "clock-server", "node-pause", "busy", "node-crash",
	"failover", "overrun"}

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
		case a == nil && steps[0].Do == nemesis.Wait:
			seen["time"]++
		case a == nil: // all clients ask at once when the fault has begun
		case a.Phase != "":
			seen["phase"]++
		default:
			seen["command "+a.At]++
		}
		var does []string
		for _, s := range steps {
			switch s.Do {
			case nemesis.Quiesce, nemesis.Resume:
				if s.Target == "" { // not the one client that asks
					seen[s.Do]++
				}
			case "", nemesis.Go, nemesis.Wait:
			default:
				does = append(does, s.Do)
			}
		}
		got := strings.Join(does, " ")
		if got != "pause unpause" && got != "pause unpause pause unpause" {
			t.Errorf("seed %d: %s", seed, got)
		}
	}
	if len(seen) != 6 || seen[nemesis.Quiesce] != seen[nemesis.Resume] {
		t.Errorf("moments are %v", seen)
	}
}

// TestDrawnPaces: clients work for a moment and for most of a lease, and think or not; without a
// fault no client is slow for so long that its lease ends before its work.
func TestDrawnPaces(t *testing.T) {
	t.Parallel()
	p, err := planFor(harness.RunOptions{Impl: "token-lua", Nemesis: noFault})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]history.Duration]bool{}
	for seed := range uint64(100) {
		q := draw{rand: rand.New(rand.NewPCG(seed, 0)), plan: p}.newPlan()
		seen[[2]history.Duration{q.Hold, q.Think}] = true
		if err := q.Validate(); err != nil || slowest(q)+int64(q.Hold) >= int64(q.TTL) {
			t.Errorf("seed %d: %v inside of %v: %v", seed, q.Hold, q.TTL, err)
		}
	}
	if len(seen) != 6 {
		t.Errorf("paces are %v", seen)
	}
}

// TestDrawnClocks: they jump far and a little, and drift much and a little, ahead and behind.
func TestDrawnClocks(t *testing.T) {
	t.Parallel()
	p, err := planFor(harness.RunOptions{Impl: "getset", Nemesis: "clock-client"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	d := draw{rand: rand.New(rand.NewPCG(3, 5)), plan: p}
	for range 300 {
		e, ok := d.effect("clock-client")
		if s := e.Begin[0]; !ok || s.Offset == 0 && s.Rate == 0 {
			t.Fatalf("%v, %v", s, ok)
		}
		for name, is := range map[string]bool{
			"far ahead": e.Begin[0].Offset > p.TTL, "far behind": e.Begin[0].Offset < -p.TTL,
			"a little ahead":  e.Begin[0].Offset > 0 && e.Begin[0].Offset < p.TTL/10,
			"a little behind": e.Begin[0].Offset < 0 && e.Begin[0].Offset > -p.TTL/10,
			"twice as fast":   e.Begin[0].Rate == 1,
			"a little fast":   e.Begin[0].Rate > 0 && e.Begin[0].Rate < 0.1,
			"a little slow":   e.Begin[0].Rate < 0 && e.Begin[0].Rate > -0.1,
		} {
			seen[name] = seen[name] || is
		}
	}
	for name, is := range seen {
		if !is {
			t.Errorf("no clock was %s", name)
		}
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

// TestDrawnFailoversKeepTheirPromise: where the replica is up to date, no link to it is cut, and it
// has every write when it is promoted.
func TestDrawnFailoversKeepTheirPromise(t *testing.T) {
	t.Parallel()
	for fault, heard := range map[string]bool{"failover:cut": false, "failover:healthy": true,
		"failover:synced": true} {
		p, err := planFor(harness.RunOptions{Impl: "token-lua", Nemesis: fault})
		if err != nil {
			t.Fatal(err)
		}
		d := draw{rand: rand.New(rand.NewPCG(1, 2)), plan: p}
		for range 100 {
			var done []string
			for _, s := range d.scenario(fault) {
				done = append(done, s.Do)
			}
			n := slices.Index(done, nemesis.KillNode)
			if heard != (n > 0 && done[n-1] == nemesis.Barrier) ||
				heard == slices.Contains(done, nemesis.Cut) {
				t.Fatalf("%s: %v", fault, done)
			}
		}
	}
}

// TestAnyMasterIsLost: a loss can take any master, and a partition can cut a client off from any.
func TestAnyMasterIsLost(t *testing.T) {
	t.Parallel()
	for fault, most := range map[string]int{"minority-loss": 2, "majority-loss": 3, "partition": 1} {
		p, err := planFor(harness.RunOptions{Impl: "redlock", Nemesis: fault})
		if err != nil {
			t.Fatal(err)
		}
		d := draw{rand: rand.New(rand.NewPCG(1, 2)), plan: p}
		seen := map[string]bool{}
		for range 300 {
			e, ok := d.effect(fault)
			if !ok || len(e.Begin) != most {
				t.Fatalf("%s: %v, %v", fault, e, ok)
			}
			for _, s := range e.Begin {
				seen[s.Target] = true
			}
		}
		for i := range p.Masters {
			if n := fmt.Sprintf("n%d", i); !seen[n] && !seen["c0>"+n] {
				t.Errorf("%s never hits %s", fault, n)
			}
		}
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

// TestHoldersCrashAfterARenewal: only a crash long after the grant leaves a key with the lease of a
// renewal, and only a lock that renews its lease may be held for so long.
func TestHoldersCrashAfterARenewal(t *testing.T) {
	t.Parallel()
	for impl, later := range map[string]bool{"token-lua": false, "redisson": true} {
		p, err := planFor(harness.RunOptions{Impl: impl, Nemesis: "crash"})
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		d := draw{rand: rand.New(rand.NewPCG(7, 8)), plan: p}
		for range 300 {
			s := d.scenario("crash")
			for i := range max(0, len(s)-2) {
				held := s[i].Await != nil && s[i].Await.Phase == nemesis.Granted
				seen = seen || held && s[i+1].Do == nemesis.Wait && s[i+1].For.D() > p.TTL.D()/3 &&
					s[i+2].Do == nemesis.Crash && s[i+2].Target == s[i].Await.Client
			}
		}
		if seen != later {
			t.Errorf("%s: a holder crashes after a renewal: %v", impl, seen)
		}
	}
}

// TestNoClientDwellsAtACommand: a varied run keeps a client that dwells at a phase, where any delay
// is allowed. The search would blame the fault for the delay of a command.
func TestNoClientDwellsAtACommand(t *testing.T) {
	t.Parallel()
	p, err := planFor(harness.RunOptions{Impl: "redisson", Nemesis: "latency"})
	if err != nil {
		t.Fatal(err)
	}
	d := draw{rand: rand.New(rand.NewPCG(3, 4)), plan: p}
	for range 300 {
		k := kept{plan: d.newPlan()}
		for range 20 {
			k = d.changed(k)
		}
		for _, s := range k.plan.Scenario {
			if s.Await != nil && s.Await.As == "slow" && s.Await.Command != "" {
				t.Fatalf("it dwells at %+v", *s.Await)
			}
		}
	}
}

// TestOnlyItsVictimAsks: a late release meets a later hold of the same client where no other client
// asks between the two, and that cannot be luck: of 100 faults that are drawn else, one meets it.
func TestOnlyItsVictimAsks(t *testing.T) {
	t.Parallel()
	p, err := planFor(harness.RunOptions{Impl: "redisson", Nemesis: "late",
		Properties: []string{"L"}})
	if err != nil {
		t.Fatal(err)
	}
	p.Rounds = drawnRounds
	hits := 0
	for p.Seed = range uint64(100) {
		d := draw{rand: rand.New(rand.NewPCG(p.Seed, 0)), plan: p, victim: "c1"}
		e, _ := d.effect("late")
		p.Scenario = d.alone(e)
		chooser, _ := randomChooser(Random, p, p.Seed)
		r, err := simrun.Job{Plan: p, Chooser: chooser}.Run(t.Context())
		if err != nil || r.HarnessError != nil {
			t.Fatal(err, r.HarnessError)
		}
		if v, ok := r.Confirm("L"); ok && !r.OfTheHarness(v) {
			hits++
		}
	}
	if hits < 8 {
		t.Errorf("%d of 100", hits)
	}
}

// TestEachFaultKnowsTheReplica: a row of the table may promote one whatever its name is.
func TestEachFaultKnowsTheReplica(t *testing.T) {
	for topology, want := range map[string][]string{nemesis.Failover: {"n0 n1"},
		nemesis.Independent: {"n0 r0", "n1 r1", "n2 r2"}} {
		p := harness.Plan{Topology: topology, Masters: 3, Clients: 2}
		for seed := range uint64(20) {
			on := draw{rand: rand.New(rand.NewPCG(seed, 1)), plan: p}.targets()
			if got := on.Nodes[0] + " " + on.Copy; !slices.Contains(want, got) {
				t.Errorf("%s: %s", topology, got)
			}
		}
	}
}
