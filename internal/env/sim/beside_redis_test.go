package sim_test

import (
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// The tests of this file show the causes of what is found more often on real Redis than in the
// simulator, or the other way round (lab/results/verdicts/how-often.md;
// lab/study/explanations.yaml).

// TestMastersThatFallAsleepOneAfterTheOther shows why the simulator finds R for Redlock per call
// under busy, and processes hardly ever: there the harness waits until a master is silent before
// it strikes the next, which takes 28 ms each. The last undo of a call then comes when the first
// master is awake again; it has the token of all attempts of the call, and frees what they left.
func TestMastersThatFallAsleepOneAfterTheOther(t *testing.T) {
	orphan := func(apart time.Duration) checker.Result {
		p := plan(t, harness.RunOptions{Impl: "redlock", Variant: "call", Nemesis: "busy", Masters: 3,
			TTL: 500 * time.Millisecond, AcquireTimeout: 200 * time.Millisecond, // as in a matrix
			Settings: impls.Settings{NodeTimeout: history.Duration(50 * time.Millisecond)},
			Clients:  3, Thorough: true, Seed: 1})
		var steps []nemesis.Step
		for _, s := range p.Scenario {
			if steps = append(steps, s); s.Do == nemesis.Stall && apart > 0 {
				steps = append(steps, nemesis.Step{Do: nemesis.Wait, For: history.Duration(apart)})
			}
		}
		p.Scenario = steps
		return judged(t, p, nil).Property(checker.Orphan).Verdict
	}
	if got := orphan(0); got != checker.Violated {
		t.Errorf("all at once: R is %s", got)
	}
	if got := orphan(28 * time.Millisecond); got != checker.Valid {
		t.Errorf("28 ms apart: R is %s", got)
	}
}

// TestALeaseShorterThanAMessage shows why the simulator finds L and O more rarely for the posted
// lease of 4 ms: some of its messages take longer than that. Where all take what they do on
// loopback, both are found in each run, as on real Redis in most.
func TestALeaseShorterThanAMessage(t *testing.T) {
	found := func(latencies []time.Duration) (leases, owners int) {
		for seed := range uint64(20) {
			v := judged(t, plan(t, harness.RunOptions{Impl: "getset-java", Nemesis: "race:finally",
				Clients: 2, AcquireTimeout: 200 * time.Millisecond, For: 8 * time.Second, Thorough: true,
				Seed: seed + 1}), func(c *sim.Config) { c.Latencies = latencies })
			if v.Property(checker.LeaseExclusion).Verdict == checker.Violated {
				leases++
			}
			if v.Property(checker.OwnerRelease).Verdict == checker.Violated {
				owners++
			}
		}
		return leases, owners
	}
	if l, o := found([]time.Duration{100 * time.Microsecond}); l < 20 || o < 20 {
		t.Errorf("messages of 0.1 ms: L in %d, O in %d of 20", l, o)
	}
	if l, o := found(nil); l > 10 || o > 15 {
		t.Errorf("messages of up to 10 ms: L in %d, O in %d of 20", l, o)
	}
}
