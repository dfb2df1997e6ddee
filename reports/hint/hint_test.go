package hint

import (
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
)

func TestHintsAfterARun(t *testing.T) {
	violated := func(contended int, letters ...string) *checker.Verdict {
		v := &checker.Verdict{Verdict: checker.Violated}
		v.Evidence.Contended = contended
		for _, l := range letters {
			v.Properties = append(v.Properties, checker.Property{Property: l, Verdict: checker.Violated,
				Reported: l == "R"})
		}
		v.Properties = append(v.Properties, checker.Property{Property: "D", Verdict: checker.Unknown})
		return v
	}
	valid := violated(9, "R")
	valid.Verdict = checker.Valid
	unsent := &checker.Verdict{Verdict: checker.Unknown}
	unsent.Evidence.Acquisitions, unsent.Evidence.Undone = 9, &history.Undone{Step: 2, Of: 3}
	short := &checker.Verdict{Verdict: checker.Unknown}
	short.Evidence.Acquisitions = 2
	for _, c := range []struct {
		name    string
		verdict *checker.Verdict
		options harness.RunOptions
		want    []string
	}{
		{"one client", unsent, harness.RunOptions{Impl: "token-lua", Nemesis: "crash", Clients: 1},
			[]string{"One client has no other to contend with; run at least two: lockbench run " +
				"--for 9s --seed 3 --nemesis x --clients 2"}},
		{"a violation that ended the run", violated(1, "S"),
			harness.RunOptions{Impl: "getset", Nemesis: "failover"}, []string{
				"Measured before, with a lease of 500 ms: S, L, O in 20 of 20 runs of failover:after"}},
		{"a violation after which the run went on", violated(9, "S"),
			harness.RunOptions{Impl: "getset", Nemesis: "failover", Thorough: true},
			[]string{"Measured before"}},
		{"an aim that finds only a part", valid,
			harness.RunOptions{Impl: "token-lua", Nemesis: "failover:release"}, []string{
				"This aim found only R, but failover:after violated S and L in 20 of 20 runs: " +
					"lockbench run --impl token-lua --nemesis failover:after --clients 2"}},
		{"a control", &checker.Verdict{Verdict: checker.Unknown},
			harness.RunOptions{Impl: "setpx-getdel", Nemesis: "pause:short"}, nil},
		{"a run in which no client got in", &checker.Verdict{Verdict: checker.Unknown},
			harness.RunOptions{Impl: "token-lua", Nemesis: "none"},
			[]string{"No call was granted the lock"}},
		{"a letter that the lock does not have", &checker.Verdict{Verdict: checker.Unknown,
			Properties: []checker.Property{{Property: checker.Fencing, Verdict: checker.NA}}},
			harness.RunOptions{Impl: "token-lua", Nemesis: "none"}, nil},
		{"a run that was too short", short, harness.RunOptions{Impl: "token-lua", Nemesis: "none",
			For: 10 * time.Second}, []string{
			"Give the run more time: lockbench run --seed 3 --nemesis x --for 20s"}},
		{"a valid run of an aim that the matrix lacks", &checker.Verdict{Verdict: checker.Valid},
			harness.RunOptions{Impl: "token-lua", Nemesis: "failover:delayed",
				Settings: impls.Settings{WaitReplicas: 1}}, []string{
				"failover has 2 aims for such a lock in the matrix: --nemesis failover:all runs these"}},
		{"a fault that missed", &checker.Verdict{Verdict: checker.Unknown,
			Evidence: checker.Evidence{Acquisitions: 9, Missed: []string{"x"}}},
			harness.RunOptions{Impl: "token-lua", Nemesis: "pause", Seed: 7},
			[]string{"The fault missed its moment; another seed may hit it: lockbench run --for 9s " +
				"--nemesis x --seed 8"}},
		{"a successor that was not asked", &checker.Verdict{Verdict: checker.Unknown,
			Evidence: checker.Evidence{Acquisitions: 9, Hits: 1, Untested: []string{"x"}}},
			harness.RunOptions{Impl: "token-lua", Nemesis: "pause", TTL: 2 * time.Second},
			[]string{"Hold the lock for longer: lockbench run --for 9s --seed 3 --nemesis x --hold 1s"}},
		{"drawn faults that were all carried out", short, harness.RunOptions{Impl: "token-lua",
			Nemesis: "random", Seed: 7},
			[]string{"Draw another run: lockbench run --for 9s --nemesis x --seed 8"}},
		{"a holder that the scenario kept inside", short, harness.RunOptions{Impl: "token-lua",
			Nemesis: "partition:stay"}, []string{
			"aim: lockbench run --for 9s --seed 3 --nemesis partition"}},
		{"a library whose calls had not come back", &checker.Verdict{Verdict: checker.Unknown,
			Evidence: checker.Evidence{Acquisitions: 2}, Properties: []checker.Property{{
				Property: checker.Deadlock, Verdict: checker.Unknown}}},
			harness.RunOptions{Adapter: "python-redis-lock", Variant: "defaults", Nemesis: "crash"},
			[]string{"Let waiting calls return before the run ends: lockbench run --for 9s " +
				"--seed 3 --nemesis x --acquire-timeout 1s"}},
		{"a lease that a run cannot wait for", &checker.Verdict{Verdict: checker.Unknown,
			Evidence: checker.Evidence{Acquisitions: 2}, Properties: []checker.Property{{
				Property: "S", Verdict: checker.Unknown},
				{Property: checker.Deadlock, Verdict: checker.Unknown}}},
			harness.RunOptions{Impl: "token-lua", Nemesis: "crash", TTL: time.Hour},
			[]string{"A lease of 1h0m0s is too long even for a run of 20s; try a shorter one: " +
				"lockbench run --for 9s --seed 3 --nemesis x --ttl 2s"}},
		{"a lease that a longer run can wait for", &checker.Verdict{Verdict: checker.Unknown,
			Evidence: checker.Evidence{Acquisitions: 2}, Properties: []checker.Property{{
				Property: "S", Verdict: checker.Unknown},
				{Property: checker.Deadlock, Verdict: checker.Unknown}}},
			harness.RunOptions{Impl: "token-lua", Nemesis: "crash", TTL: 20 * time.Second,
				For: time.Minute},
			[]string{"Give the run more time: lockbench run --seed 3 --nemesis x --for 2m0s"}},
		{"a client whose process ended", &checker.Verdict{Verdict: checker.Unknown,
			HarnessError: "client 0 ended", Evidence: checker.Evidence{Acquisitions: 5}},
			harness.RunOptions{Impl: "token-lua", Nemesis: "none"},
			[]string{"A longer run would not help: if a client's process ended, its log says why"}},
		{"a machine that stood still", &checker.Verdict{Verdict: checker.Unknown,
			Evidence: checker.Evidence{Acquisitions: 5}, Properties: []checker.Property{{
				Property: checker.Deadlock, Verdict: checker.Unknown, Stalled: true}}},
			harness.RunOptions{Impl: "token-lua", Nemesis: "none"},
			[]string{"The machine stood still in this run: run it again"}},
		{"whose key a release deleted is all that is not known", &checker.Verdict{
			Verdict: checker.Unknown, Evidence: checker.Evidence{Acquisitions: 9},
			Properties: []checker.Property{{Property: "S", Verdict: checker.Valid},
				{Property: "O", Verdict: checker.Unknown}, {Property: "D", Verdict: checker.Valid},
				{Property: "V", Verdict: checker.NA},
				{Property: "R", Verdict: checker.Unknown, Reported: true}}},
			harness.RunOptions{Impl: "token-lua", Nemesis: "random"}, []string{
				"Only O is unknown. Try another seed; if O stays unknown, judge only the others: " +
					"lockbench run --for 9s --seed 3 --nemesis x " +
					"--properties S,D"}},
		{"a command that the lock does not send", unsent, harness.RunOptions{Impl: "redisson-multi",
			Nemesis: "crash:expire"}, []string{
			"without its aim: lockbench run --for 9s --seed 3 --nemesis crash"}},
		{"a run that told nothing", &checker.Verdict{Verdict: checker.Unknown},
			harness.RunOptions{Impl: "token-lua", Nemesis: "failover:release"}, []string{
				"This run told nothing, but failover:after violated S and L"}},
		{"with a setting that the table does not have", valid, harness.RunOptions{Impl: "token-lua",
			Nemesis: "failover:release", Settings: impls.Settings{WaitReplicas: 1}}, []string{
			"failover has 2 aims for such a lock in the matrix, and this was one of them: " +
				"--nemesis failover:all runs these"}},
		{"a library of which one aim was run", valid,
			harness.RunOptions{Adapter: "redisson", Variant: "watchdog", Nemesis: "partition"}, []string{
				"partition:stay violated S in 1 of 1 run: lockbench run --adapter " +
					"redisson --variant watchdog --nemesis partition:stay"}},
		{"the only aim for such a lock", valid,
			harness.RunOptions{Impl: "token-lua", Nemesis: "partition"}, nil},
		{"a fault of which nothing was measured", violated(9, "S"),
			harness.RunOptions{Impl: "getset", Nemesis: "random"}, nil},
	} {
		p, err := harness.NewPlan(c.options)
		if err != nil {
			t.Fatal(err)
		}
		got, err := For(c.verdict, p, "", "lockbench run --for 9s --seed 3 --nemesis x")
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %q, %v", c.name, got, err)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i].String(), c.want[i]) {
				t.Errorf("%s: %q does not say %q", c.name, got[i].String(), c.want[i])
			}
		}
	}
}
