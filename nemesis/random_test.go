package nemesis

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawRandom draws a random fault for a drawn plan, in a drawn environment.
func drawRandom(t *rapid.T) (Scenario, Params) {
	p := Params{
		TTL: rapid.SampledFrom([]time.Duration{3 * time.Millisecond, 200 * time.Millisecond,
			10 * time.Second}).Draw(t, "ttl"), Hold: 80 * time.Millisecond,
		Poll: 5 * time.Millisecond, Clients: rapid.IntRange(1, 6).Draw(t, "clients"),
		Nodes:   rapid.SampledFrom([]int{1, 1, 3, 5}).Draw(t, "nodes"),
		Timeout: 250 * time.Millisecond, Seed: rapid.Uint64().Draw(t, "seed"),
		Capabilities: rapid.SampledFrom(AllCapabilities()).Draw(t, "capabilities"),
	}
	fs, err := Parse("random:" + rapid.SampledFrom([]string{"1", "4", "20"}).Draw(t, "number"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := fs.Scenario(p)
	if err != nil {
		t.Fatal(err)
	}
	return s, p
}

// TestRandomKeepsToItsCapabilities also holds what is drawn to the rules for what people write.
func TestRandomKeepsToItsCapabilities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p := drawRandom(t)
		if err := p.Capabilities.Possible(s); err != nil {
			t.Errorf("in the environment %s: %v", p.Capabilities.Environment, err)
		}
		if err := Check(s.Steps, s.Layout(p)); err != nil {
			t.Errorf("%v in %v", err, s.Steps)
		}
		if s.Aimed != 1 || !slices.ContainsFunc(s.Steps, func(s Step) bool { return s.Aimed }) {
			t.Errorf("%d must hit in %v", s.Aimed, s.Steps)
		}
	})
}

// TestRandomUndoesWhatItDoes leaves only crashes and failovers in force, and no client at a
// breakpoint for longer than it takes to inject.
func TestRandomUndoesWhatItDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _ := drawRandom(t)
		open := map[string]Step{}
		stands := false
		for i, step := range s.Steps {
			for k, o := range open {
				if step.Undoes(o.Do) && step.Target == o.Target || step.Do == o.Do && step.Target == o.Target {
					delete(open, k)
				}
			}
			switch {
			case step.Await != nil:
				stands = true
			case step.Do == Go:
				stands = false
			case stands && (step.Do == Wait || step.Do == Elected):
				t.Errorf("step %d waits while a client may stand at a breakpoint: %v", i+1, s.Steps)
			case step.Lasts() && step.Do != Crash && (step.Offset != 0 || step.Rate != 0 ||
				step.Do != NodeClock && step.Do != ClientClock):
				open[step.Do+step.Target] = step
			}
			if step.Do == Promote {
				delete(open, KillNode+map[string]string{"n1": "n0", "r0": "n0", "r1": "n1", "r2": "n2",
					"r3": "n3", "r4": "n4"}[step.Target])
			}
		}
		delete(open, KillNode+"n0") // of an election
		for _, o := range open {
			if !(o.Do == KillNode && s.Topology == Sentinel) {
				t.Errorf("%v is never undone in %v", o, s.Steps)
			}
		}
	})
}

// TestRandomIsTheSeeds draws twice, also through the plan's file.
func TestRandomIsTheSeeds(t *testing.T) {
	e, v, err := Find("random:8")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for seed := range uint64(50) {
		p := params
		p.Seed = seed
		a, _ := e.Scenario(v, p)
		b, _ := e.Scenario(v, p)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d gives %v and %v", seed, a, b)
		}
		text, err := json.Marshal(a.Steps)
		if err != nil || seen[string(text)] {
			t.Fatalf("seed %d gives what another gave, or %v", seed, err)
		}
		seen[string(text)] = true
		var back []Step
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, a.Steps) {
			t.Errorf("read back: %v, %v", back, err)
		}
	}
}

// TestRandomDrawsEverything wants each kind of fault that an environment has from some seed.
func TestRandomDrawsEverything(t *testing.T) {
	e, v, _ := Find("random:8")
	drawn := map[string]bool{}
	for seed := range uint64(400) {
		p := params
		p.Seed = seed
		if seed%3 == 0 {
			p.Nodes = 3
		}
		s, _ := e.Scenario(v, p)
		drawn[s.Topology] = true
		for _, step := range s.Steps {
			drawn[step.Do] = true
			if a := step.Await; a != nil {
				drawn[a.Phase], drawn[a.At] = true, true
			}
		}
	}
	for _, want := range slices.Concat(
		[]string{KillNode, Start, PauseNode, NodeClock, Busy, Stall, Promote, Elected, Cut, HoldBack,
			Delay,
			Refuse, Reset, Crash, Pause, Suspend, ClientClock, Wait},
		[]string{Single, Failover, Sentinel, Independent, Before, JustSent, After}, phases,
	) {
		if !drawn[want] {
			t.Errorf("%s was never drawn", want)
		}
	}
}

// TestRandomAsksNoAdapterForSentinels: an adapter may not know how to ask them. A user who knows
// that it does names the topology.
func TestRandomAsksNoAdapterForSentinels(t *testing.T) {
	e, v, _ := Find("random")
	drawn := map[bool]int{}
	for seed := range uint64(100) {
		for _, tapped := range []bool{false, true} {
			p := params
			p.Seed, p.Tapped = seed, tapped
			if s, _ := e.Scenario(v, p); s.Topology == Sentinel {
				drawn[tapped]++
			}
			if p.Topology = Sentinel; tapped {
				if s, _ := e.Scenario(v, p); s.Topology != Sentinel {
					t.Errorf("seed %d: %s, although sentinels were asked for", seed, s.Topology)
				}
			}
		}
	}
	if drawn[true] > 0 || drawn[false] == 0 {
		t.Errorf("with sentinels: %v of 100 runs, by whether the lock is an adapter's", drawn)
	}
}
