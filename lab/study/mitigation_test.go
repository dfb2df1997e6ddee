package study

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
)

// TestALockThatNoClientIsGrantedIsNotBroken: after a failover a lock that asks for more replicas
// than are left keeps what it promises by never being granted, which is another column than "does
// not mend".
func TestALockThatNoClientIsGrantedIsNotBroken(t *testing.T) {
	verdict := func(after int, violated ...string) *checker.Verdict {
		v := &checker.Verdict{Evidence: checker.Evidence{AfterFailover: after}}
		for _, l := range violated {
			v.Properties = append(v.Properties, checker.Property{Property: l,
				Verdict: checker.Violated})
		}
		return v
	}
	for _, c := range []struct {
		v           *checker.Verdict
		stuck, with int
	}{
		{verdict(0, checker.Deadlock), 1, 0},
		{verdict(3, checker.Deadlock), 0, 1}, // it was granted, and then not any more
		{verdict(0, checker.MutualExclusion, checker.Deadlock), 0, 2},
	} {
		out := Trials{Violated: map[string]int{}}
		out.count(c.v, true, nil)
		if out.Stuck != c.stuck || len(out.Violated) != c.with || out.Unknown != 0 {
			t.Errorf("%+v: %+v", c.v.Properties, out)
		}
	}
}

// TestTheMitigationOfARun wants exactly the row that a run has.
func TestTheMitigationOfARun(t *testing.T) {
	for _, c := range []struct {
		p    harness.Plan
		want string
	}{
		{harness.Plan{WaitReplicas: 1}, "--wait-replicas 1, with one replica"},
		{harness.Plan{WaitReplicas: 1, Replicas: 2}, "--wait-replicas 1, with two replicas"},
		{harness.Plan{WaitReplicas: 2, Replicas: 2}, "--wait-replicas 2, with two replicas"},
		{harness.Plan{}, ""},
	} {
		var got []string
		for _, m := range mitigations() {
			if MitigationIn(m.Name, c.p) {
				got = append(got, m.Name)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%+v: %q", c.p, got)
		}
	}
}
