package tour

import (
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// TestRolesAreOfTheRun: P1 was killed, P3 deleted the key of P2. Without one of them no role is
// given.
func TestRolesAreOfTheRun(t *testing.T) {
	killed := history.Event{Type: history.Kill, Process: 4}
	foreign := checker.WitnessCommand{Kind: verdict.ForeignDelete,
		Command: history.Command{Process: 7}}
	for want, c := range map[string]struct {
		events   []history.Event
		commands []checker.WitnessCommand
		entered  int // process of the second hold
	}{
		"Here P1 is client 4, P2 is client 5, and P3 is client 7.": {
			[]history.Event{{Type: history.OK, Process: 7}, killed},
			[]checker.WitnessCommand{{Kind: verdict.Grant}, foreign}, 7},
		"Here P1 is client 4 and P2 is client 5. Two clients play P3: client 7 deletes the key of P2, " +
			"and client 6 gets the lock.": {[]history.Event{killed},
			[]checker.WitnessCommand{foreign}, 6},
		"": {[]history.Event{killed}, nil, 7},
	} {
		v := &checker.Verdict{Properties: []checker.Property{{Property: checker.MutualExclusion,
			Verdict: checker.Violated, Class: checker.ReleasedByNonOwner, Witness: &verdict.Witness{
				Holds: []checker.Hold{{Process: 5}, {Process: c.entered}}, Commands: c.commands}}}}
		if got := Roles(&history.History{Events: c.events}, v); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Roles(&history.History{}, &checker.Verdict{}); got != "" {
		t.Errorf("a run without a violation has roles: %q", got)
	}
}
