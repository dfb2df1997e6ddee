package tour

import (
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// TestRolesAreOfTheRun: P1 was killed, P3 deleted the key of P2. Without one of them, or in a run
// of no story, no role is given. A fourth client is told of only if it deleted the key of P1.
func TestRolesAreOfTheRun(t *testing.T) {
	killed := history.Event{Type: history.Kill, Process: 4, T: 10}
	foreign := checker.WitnessCommand{Kind: verdict.ForeignDelete,
		Command: history.Command{Process: 7}}
	fourth := history.Command{Process: 9, Sent: 20, Args: []string{"DEL", "lock:0"}, Reply: "1"}
	late := fourth
	late.Sent = 40
	usual := []checker.WitnessCommand{{Kind: verdict.Grant}, foreign}
	const all = "Here P1 is client 4, P2 is client 5, and P3 is client 7."
	for _, c := range []struct {
		want     string
		events   []history.Event
		commands []checker.WitnessCommand
		entered  int // process of the second hold
		deleted  history.Command
		story    string
	}{
		{all, []history.Event{{Type: history.OK, Process: 7}, killed}, usual, 7, late, Race},
		{all + " A fourth client, client 9, deleted the key of P1.", []history.Event{killed}, usual, 7,
			fourth, Race},
		{"Here P1 is client 4 and P2 is client 5. Two clients play P3: client 7 deletes the key of P2, " +
			"and client 6 gets the lock.", []history.Event{killed},
			[]checker.WitnessCommand{foreign}, 6, late, Race},
		{"", []history.Event{killed}, nil, 7, late, Race},
		{"", []history.Event{killed}, usual, 7, late, ""},
	} {
		v := &checker.Verdict{Properties: []checker.Property{{Property: checker.MutualExclusion,
			Verdict: checker.Violated, Class: checker.ReleasedByNonOwner, Witness: &verdict.Witness{
				Holds:    []checker.Hold{{Process: 5, From: 30}, {Process: c.entered}},
				Commands: c.commands}}}}
		h := &history.History{Events: c.events}
		if got := CastOf(c.story, h, []history.Command{c.deleted}, v).Said; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := CastOf(Race, &history.History{}, nil, &checker.Verdict{}); got.Roles != nil {
		t.Errorf("a run without a violation has roles: %v", got)
	}
}

func TestARoleStandsBesideItsClientOnce(t *testing.T) {
	c := Cast{Roles: map[int]string{1: "P1", 12: "P2"}}
	got := c.AddRoles("Client 1 was killed. Client 12's lease and client 1 and client 2 and " +
		"Clients 1.")
	if want := "Client 1 (P1) was killed. Client 12 (P2)'s lease and client 1 and client 2 and " +
		"Clients 1."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
