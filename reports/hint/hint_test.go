package hint

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
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
	// overrun is an S by a lease overrun with L, O and F as given
	overrun := func(l, o, f checker.Result) *checker.Verdict {
		return &checker.Verdict{Verdict: checker.Violated, Properties: []checker.Property{
			{Property: "S", Verdict: checker.Violated, Class: checker.LeaseOverrun},
			{Property: "L", Verdict: l}, {Property: "O", Verdict: o}, {Property: "F", Verdict: f}}}
	}
	// thorough leaves nothing to try
	thorough := harness.RunOptions{Impl: "token-lua", Nemesis: "random", Thorough: true}
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
				"This aim found only R, but another aim of the fault violated S and L of this lock in 20 of " +
					"20 runs: lockbench run --impl token-lua --nemesis failover:after --clients 2"}},
		{"a control", &checker.Verdict{Verdict: checker.Unknown},
			harness.RunOptions{Impl: "setpx-getdel", Nemesis: "pause:short"}, nil},
		{"a run that told nothing", &checker.Verdict{Verdict: checker.Unknown},
			harness.RunOptions{Impl: "token-lua", Nemesis: "failover:release"}, []string{
				"This run told nothing, but another aim of the fault violated S and L"}},
		{"work beyond the lease", overrun(checker.Valid, checker.Valid, checker.NA), thorough,
			[]string{"S without L and O: the work outlasted the lease"}},
		{"work beyond a session of which the lease is not known", overrun(checker.Unknown,
			checker.Unknown, checker.NA), thorough, nil},
		{"a lock that releases another's, too", overrun(checker.Valid, checker.Violated, checker.NA),
			thorough, nil},
		{"a lock without a lease", overrun(checker.NA, checker.Valid, checker.NA), thorough, nil},
		{"tokens that do not grow", overrun(checker.Valid, checker.Valid, checker.Violated), thorough,
			nil},
		{"tokens that grow", overrun(checker.Valid, checker.Valid, checker.Valid), thorough,
			[]string{"S without L and O"}},
		{"with a setting that the table does not have", valid, harness.RunOptions{Impl: "token-lua",
			Nemesis: "failover:release", Settings: impls.Settings{WaitReplicas: 1}}, []string{
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
		got, err := For(c.verdict, p, "")
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %q, %v", c.name, got, err)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i].Text, c.want[i]) {
				t.Errorf("%s: %q does not say %q", c.name, got[i].Text, c.want[i])
			}
		}
	}
}
