package hint

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
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
	overrun := &checker.Verdict{Verdict: checker.Violated, Properties: []checker.Property{
		{Property: "S", Verdict: checker.Violated, Class: checker.LeaseOverrun}}}
	both := &checker.Verdict{Verdict: checker.Violated, Properties: append(overrun.Properties[:1:1],
		checker.Property{Property: "O", Verdict: checker.Violated})}
	for _, c := range []struct {
		name    string
		verdict *checker.Verdict
		options harness.RunOptions
		want    []string
	}{
		{"a violation that ended the run", violated(1, "S"),
			harness.RunOptions{Impl: "getset", Nemesis: "failover"}, []string{
				"Measured before, with a lease of 500 ms: S, L, O in 20 of 20 runs of failover:after",
				"D stayed open: --thorough=true"}},
		{"a violation after which the run went on", violated(9, "S"),
			harness.RunOptions{Impl: "getset", Nemesis: "failover", Thorough: true},
			[]string{"Measured before"}},
		{"an aim that finds only a part", valid,
			harness.RunOptions{Impl: "token-lua", Nemesis: "failover:release"}, []string{
				"This aim found only R, but the table expects S and L of this lock from another aim of the " +
					"fault: lockbench run --impl token-lua --nemesis failover:after"}},
		{"a moment that the lock does not have", &checker.Verdict{Verdict: checker.Unknown},
			harness.RunOptions{Impl: "token-lua", Nemesis: "pause:between"}, []string{
				"The table has pause:between for other locks only",
				"This run told nothing, but the table expects S of this lock"}},
		{"a moment that it has", &checker.Verdict{Verdict: checker.Unknown},
			harness.RunOptions{Impl: "setpx-getdel", Nemesis: "pause:between"}, []string{
				"This run told nothing, but the table expects"}},
		{"work beyond the lease", overrun, harness.RunOptions{Impl: "token-lua", Nemesis: "random"},
			[]string{"S without L and O: the work outlasted the lease"}},
		{"a lock that releases another's besides", both, harness.RunOptions{Impl: "token-lua",
			Nemesis: "random"}, nil},
		{"with a setting that the table does not have", valid, harness.RunOptions{Impl: "token-lua",
			Nemesis: "failover:release", WaitReplicas: 1}, []string{
			"failover has 2 aims for such a lock, and this was one of them: --nemesis failover:all"}},
		{"a library of which one aim was run", valid,
			harness.RunOptions{Adapter: "redisson", Variant: "watchdog", Nemesis: "partition"}, []string{
				"partition has 2 aims for such a lock, and this was one of them: --nemesis partition:all"}},
		{"the only aim for such a lock", valid,
			harness.RunOptions{Impl: "token-lua", Nemesis: "partition"}, nil},
		{"a fault of which nothing was measured", violated(9, "S"),
			harness.RunOptions{Impl: "getset", Nemesis: "random"}, nil},
	} {
		p, err := harness.NewPlan(c.options)
		if err != nil {
			t.Fatal(err)
		}
		got, err := After(c.verdict, p, "")
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %q, %v", c.name, got, err)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], c.want[i]) {
				t.Errorf("%s: %q does not say %q", c.name, got[i], c.want[i])
			}
		}
	}
}
