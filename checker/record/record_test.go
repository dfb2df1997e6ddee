package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// run is a history of two clients: client 0 holds, acquires again inside and is killed in its
// second hold; client 1 waits, and vanishes. A pause of client 0 is healed, a cut lasts.
func run() *history.History {
	ev := func(t history.Type, at int64, process int, f string, n int) history.Event {
		return history.Event{Type: t, T: at, Process: process, F: f, N: n}
	}
	grant := func(e history.Event, sent, lease int64) history.Event {
		e.Grant = &history.Grant{Sent: sent, Lease: history.Duration(lease), Node: "n0"}
		return e
	}
	fault := func(at int64, id int, phase, action, target, err string) history.Event {
		return history.Event{Type: history.Fault, T: at, Process: history.Harness, ID: id, Phase: phase,
			F: action, Target: target, Err: err}
	}
	h := &history.History{
		Header: history.Header{Clients: 3, TTL: 100, Declares: history.Declares{Lease: true,
			Reentrant: true}},
		Events: []history.Event{
			ev(history.Invoke, 10, 0, history.Acquire, 1),
			grant(ev(history.OK, 20, 0, history.Acquire, 1), 15, 100),
			ev(history.Invoke, 22, 1, history.Acquire, 1),
			ev(history.Invoke, 25, 0, history.Acquire, 2),
			grant(ev(history.OK, 30, 0, history.Acquire, 2), 26, 100),
			fault(32, 1, history.PhaseFrom, "pause", "c0", ""),
			{Type: history.Gap, T: 70, Process: 0, Gap: 35},
			fault(70, 1, history.PhaseTo, "pause", "c0", ""),
			ev(history.Invoke, 72, 0, history.Release, 2),
			ev(history.OK, 74, 0, history.Release, 2),
			ev(history.Invoke, 80, 0, history.Release, 1),
			ev(history.Fail, 84, 0, history.Release, 1),
			{Type: history.Fail, T: 85, Process: 1, F: history.Acquire, N: 1, Err: "held"},
			fault(86, 2, history.PhaseFrom, "cut", "c1>n0", ""),
			ev(history.Invoke, 88, 1, history.Acquire, 2),
			ev(history.Invoke, 90, 0, history.Acquire, 3),
			grant(ev(history.OK, 95, 0, history.Acquire, 3), 91, 100),
			{Type: history.Gap, T: 130, Process: history.Harness, Gap: 30},
			ev(history.Kill, 140, 0, "", 0),
			ev(history.Exit, 150, 1, "", 0),
			fault(200, 2, history.PhaseTo, "cut", "c1>n0", ""),
			ev(history.End, 210, history.Harness, "", 0),
		},
	}
	h.Events[20].Lasted = true
	return h
}

func TestOf(t *testing.T) {
	r := Build(run())
	want := []Hold{
		{Process: 0, N: 1, Call: 10, From: 20, Granting: 15, Sent: 26, End: 80, Ended: Released,
			Returned: 84, Answer: history.Fail, Lost: Forever, Valid: Forever, Promised: Forever,
			Leases: []Lease{{Call: 10, From: 20, To: 126}},
			Length: 100, Granted: 100, Node: "n0", InnerReleased: 72},
		{Process: 0, N: 3, Call: 90, From: 95, Granting: 91, Sent: 91, End: 140, Ended: Killed,
			Returned: Forever, Lost: Forever, Valid: Forever,
			Leases:   []Lease{{Call: 90, From: 95, To: 191}},
			Length:   100,
			Promised: Forever, Granted: 100,
			Node: "n0"},
	}
	if d := cmp.Diff(want, r.Holds, cmpopts.IgnoreUnexported(Lease{})); d != "" {
		t.Errorf("holds (-want +got):\n%s", d)
	}
	if len(r.Inner) != 1 || r.Inner[0].N != 2 || r.Inner[0].End != 72 || r.Inner[0].Ended != Released {
		t.Errorf("inner holds: %+v", r.Inner)
	}
	calls := []Call{
		{N: 1, Keys: []int{0}, From: 10, To: 20, Outcome: history.OK},
		{N: 2, Keys: []int{0}, From: 25, To: 30, Outcome: history.OK},
		{Process: 1, N: 1, Keys: []int{0}, From: 22, To: 85, Outcome: history.Fail, Err: "held"},
		{N: 3, Keys: []int{0}, From: 90, To: 95, Outcome: history.OK},
		{Process: 1, N: 2, Keys: []int{0}, From: 88, To: 88, Outcome: history.Invoke},
	}
	if d := cmp.Diff(calls, r.Calls); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	faults := []Fault{{ID: 1, Action: "pause", Target: "c0", From: 32, To: 70},
		{ID: 2, Action: "cut", Target: "c1>n0", From: 86, To: 200, Lasting: true}}
	if d := cmp.Diff(faults, r.Faults); d != "" {
		t.Errorf("faults (-want +got):\n%s", d)
	}
	gaps := []Gap{{From: 35, To: 70, Planned: true}, {Process: history.Harness, From: 100, To: 130}}
	if d := cmp.Diff(gaps, r.Gaps); d != "" {
		t.Errorf("gaps (-want +got):\n%s", d)
	}
	var marks []history.Type
	for _, m := range r.Marks {
		marks = append(marks, m.Type)
	}
	if d := cmp.Diff([]history.Type{history.Gap, history.Kill, history.Exit}, marks); d != "" {
		t.Errorf("marks (-want +got):\n%s", d)
	}
	counts := []any{r.Clients, r.End, r.Operations, r.Unknown, r.RefusedReleases, r.WithoutLease,
		r.LeftAt(&r.Holds[0]), r.LeftAt(&r.Holds[1]), r.Releasing(0, 73), r.Releasing(0, 78)}
	if d := cmp.Diff([]any{[]int{0, 1, 2}, int64(210), 7, 1, 1, 0, int64(84), int64(140), true, false},
		counts); d != "" {
		t.Errorf("counts (-want +got):\n%s", d)
	}
}

func TestTrust(t *testing.T) {
	planned := run()
	planned.Events[19].Planned = true
	ended := run()
	ended.Events[19].Signal = "interrupt"
	broken := run()
	broken.Events[20].Err = "no such link"
	for name, c := range map[string]struct {
		h    *history.History
		want Trust
	}{
		"an exit that was not planned": {run(), Trust{Cut: 150, Failure: Failure{Kind: UnplannedExit,
			T:       150,
			Process: 1}}},
		"a lock that ends its process": {ended, Trust{Cut: 150, Failure: Failure{Kind: SelfEnded, T: 150,
			Process: 1, Signal: "interrupt"}}},
		"nothing": {planned, Trust{Cut: Forever}},
		"a fault that fails later": {broken, Trust{Cut: 150, Failure: Failure{Kind: UnplannedExit, T: 150,
			Process: 1}}},
		"no end": {&history.History{Header: planned.Header, Events: planned.Events[:20]},
			Trust{Cut: Forever, Interrupted: true}},
	} {
		got := Build(c.h).Trust
		if d := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Trust{}, "Stalls")); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if s := got.StallIn(0, 120); s == nil || s.Process != history.Harness {
			t.Errorf("%s: the stall of the harness is not seen: %+v", name, got.Stalls)
		}
	}
	planned.Events[20].Err = "no such link"
	if got := Build(planned).Trust; got.Failure.Kind != FaultFailed || got.Cut != 200 {
		t.Errorf("a fault that failed: %+v", got)
	}
}

func TestBelievedEnd(t *testing.T) {
	for _, c := range []struct {
		h    Hold
		want int64
	}{
		{Hold{Valid: 70, Length: 10, Sent: 5}, 70},
		{Hold{Valid: Forever, Length: 10, Sent: 5}, 15},
		{Hold{Valid: Forever, Sent: 5}, Forever},
	} {
		if got := c.h.BelievedEnd(); got != c.want {
			t.Errorf("%+v: %d", c.h, got)
		}
	}
}

func TestFault(t *testing.T) {
	for _, c := range []struct {
		action, target string
		breaks         nemesis.Assumption
		delays         bool // a command of client 1 to n0
	}{
		{"client-clock", "c1", nemesis.ClientClocks, false},
		{"node-clock", "n0", nemesis.ServerClocks, false},
		{"promote", "n0", nemesis.Durability, false},
		{"kill", "n0", nemesis.Durability, true},
		{"pause", "c1", nemesis.BoundedPauses, true},
		{"pause", "c2", nemesis.BoundedPauses, false},
		{"cut", "c1>*", nemesis.Delivery, true},
		{"cut", "*>n1", nemesis.Delivery, false},
		{nemesis.Redirect, "*", nemesis.Nothing, false},
		{nemesis.Duplicate, "c1", nemesis.Delivery, false},
		{nemesis.Strand, "c1", nemesis.Delivery, false}, // of a command that has its reply
	} {
		f := Fault{Action: c.action, Target: c.target, From: 10, To: 20}
		m := history.Command{Process: 1, Node: "n0", Sent: 15, Recv: 16}
		if f.Breaks() != c.breaks || f.Delays(&m) != c.delays {
			t.Errorf("%s of %s breaks %q, delays %v", c.action, c.target, f.Breaks(), f.Delays(&m))
		}
	}
	// what was ordered before its next command is over when that breaks off
	f := Fault{Action: nemesis.Strand, Target: "c1", From: 10, To: 10}
	m := history.Command{Process: 1, Sent: 15, Err: "EOF", Why: history.BrokenOff}
	if other := (history.Command{Sent: 15, Err: "EOF", Why: history.BrokenOff}); !f.Delays(&m) ||
		f.Delays(&other) {
		t.Error("it keeps the reply of its client's next command, and of no other")
	}
	// a call that is given up gives up the commands that it sends afterwards
	f = Fault{Action: nemesis.Cancel, Target: "c1", From: 10, To: 10}
	m = history.Command{Process: 1, Sent: 15, Recv: 15, Why: history.Canceled}
	if late := (history.Command{Process: 1, Sent: 15, Why: history.TimedOut}); !f.Delays(&m) ||
		f.Delays(&late) {
		t.Error("it gives up what its call sends later, and nothing else")
	}
}

// TestServerGaps: a server answered late, and one said that it had found no leader.
func TestServerGaps(t *testing.T) {
	h := history.History{Events: []history.Event{
		{Type: history.Gap, T: 50, Process: history.Harness, Target: "n0", Gap: 20},
		{Type: history.Gap, T: 90, Process: history.Harness, Target: "n1", Gap: 30,
			Why: history.NoLeader}}}
	want := []Gap{{Process: history.Harness, Node: "n0", From: 30, To: 50},
		{Process: history.Harness, Node: "n1", From: 60, To: 90, NoLeader: true}}
	if d := cmp.Diff(want, Build(&h).Gaps); d != "" {
		t.Error(d)
	}
}
