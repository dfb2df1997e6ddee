package study

import (
	"github.com/lockbench/lockbench/internal/choose"
	"testing"

	"github.com/lockbench/lockbench/checker"
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
		out := choose.Trials{Violated: map[string]int{}}
		countRun(&out, c.v, true, nil)
		if out.Stuck != c.stuck || len(out.Violated) != c.with || out.Unknown != 0 {
			t.Errorf("%+v: %+v", c.v.Properties, out)
		}
	}
}
