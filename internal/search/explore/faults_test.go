package explore

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// TestWithoutAFaultNamedAllAreTried: what the lock or the simulator cannot have is left out by
// name.
func TestWithoutAFaultNamedAllAreTried(t *testing.T) {
	t.Parallel()
	s := Search{Options: harness.RunOptions{Impl: "token-lua"}, Properties: []string{"O"},
		Schedule: Portfolio, Moments: Guided, Seeds: 90, Jobs: 2, KeepGoing: true}
	hits, p, err := s.Find(t.Context())
	if err != nil || p.Runs != 90 || p.HarnessErrors > 0 || len(hits) > 0 {
		t.Errorf("%+v, %v, %v", p, hits, err)
	}
	for _, want := range []string{"minority-loss", "failover-cluster:cut", "disk-loss"} {
		if !slices.ContainsFunc(p.LeftOut, func(x LeftOut) bool {
			return x.Fault == want && x.Reason != ""
		}) {
			t.Errorf("%s is not left out: %v", want, p.LeftOut)
		}
	}
	s.Settled = true
	_, p, err = s.Find(t.Context())
	if err != nil || !slices.ContainsFunc(p.LeftOut, func(x LeftOut) bool {
		return x.Fault == "suspend:long" && strings.Contains(x.Reason, "could not confirm it")
	}) {
		t.Errorf("nothing can suspend a process: %v, %v", p.LeftOut, err)
	}
	s.Options.Impl = "nobody"
	if _, _, err := s.Find(t.Context()); err == nil {
		t.Error("a lock that is not there was searched")
	}
}

// TestChangedScenarios stay valid, and change in one thing at a time: where they wait, how long, in
// which order, or by one fault more. What they were made from stays as it was.
func TestChangedScenarios(t *testing.T) {
	t.Parallel()
	p, err := planFor(harness.RunOptions{Impl: "token-lua", Nemesis: "pause"})
	if err != nil {
		t.Fatal(err)
	}
	d := draw{rand: rand.New(rand.NewPCG(1, 2)), plan: p}
	d.plan.Seed = 7
	p.Scenario = d.scenario("pause")
	before := slices.Clone(p.Scenario)
	orders, longer := 0, 0
	for range 200 {
		k := d.changed(kept{p, Walk})
		if err := k.plan.Validate(); err != nil || k.schedule != Walk {
			t.Fatalf("%v: %v", k.plan.Scenario, err)
		}
		if k.plan.Seed == 7 {
			orders++
		}
		if len(k.plan.Scenario) > len(before) {
			longer++
		}
	}
	if orders == 0 || longer == 0 || orders+longer > 150 {
		t.Errorf("%d other orders, %d faults more", orders, longer)
	}
	for i := range before {
		if p.Scenario[i].String() != before[i].String() {
			t.Errorf("step %d was changed in place", i)
		}
	}
}

// TestSlowClientsAreNoFault: a client stands for so short a time that its lease outlasts that and
// its work, however often that is changed.
func TestSlowClientsAreNoFault(t *testing.T) {
	t.Parallel()
	p, err := planFor(harness.RunOptions{Impl: "token-lua", Nemesis: noFault})
	if err != nil {
		t.Fatal(err)
	}
	d := draw{rand: rand.New(rand.NewPCG(3, 4)), plan: p}
	for range 100 {
		k := kept{p, Random}
		k.plan.Scenario = d.scenario(noFault)
		for range 5 {
			k = d.changed(k)
		}
		steps := k.plan.Scenario
		for _, name := range []string{"drawn", "later"} {
			stands, is := history.Duration(0), false
			for _, s := range steps {
				switch {
				case s.Await != nil && s.Await.As == name:
					is = true
				case s.Do == nemesis.Go && s.Target == name:
					is = false
				case is:
					stands += s.For
				}
			}
			if is || stands+p.Hold >= p.TTL {
				t.Errorf("%s stands for %v of a lease of %v, %v inside: %v", name, stands, p.TTL, p.Hold, steps)
			}
		}
	}
}

// TestMomentsAtRareCommands: a command that was seen once is as likely a moment as one that is sent
// all the time, and a script is told from another by its hash.
func TestMomentsAtRareCommands(t *testing.T) {
	t.Parallel()
	p, err := planFor(harness.RunOptions{Impl: "getset", Nemesis: "pause"})
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.Repeat("a", sha)
	d := draw{rand: rand.New(rand.NewPCG(5, 6)), plan: p, commands: []string{
		named([]string{"get", "k"}), named([]string{"GETSET", "k", "1"}),
		named([]string{"evalsha", hash, "1", "k"})}}
	seen := map[string]int{}
	for range 1000 {
		if at, name := d.moment(); name != "" {
			seen[at.Await.Command]++
		}
	}
	for command, text := range map[string]string{d.commands[0]: "GET lock:0",
		d.commands[1]: "getset lock:0 1", d.commands[2]: "evalsha " + hash + " 1 lock:0"} {
		if seen[command] < 50 || !regexp.MustCompile(command).MatchString(text) {
			t.Errorf("%s: %d times", command, seen[command])
		}
	}
	if regexp.MustCompile(d.commands[0]).MatchString("getset lock:0 1") {
		t.Error("GET is taken for GETSET")
	}
}
