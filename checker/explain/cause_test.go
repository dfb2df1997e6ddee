package explain

import (
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// TestByVotes: the cause of two majorities names the server that made the second one possible.
func TestByVotes(t *testing.T) {
	clock := func(target string, at int64) record.Fault {
		return record.Fault{Action: nemesis.NodeClock, Target: target, From: at}
	}
	const had = " Votes: client 1 had n0, n1 and n2, client 2 had "
	for _, c := range []struct {
		class  string
		next   []string
		faults []record.Fault
		want   string
	}{
		{verdict.LostByServer, []string{"n2", "n3", "n4"}, nil,
			"n2 voted for both, and no longer had the key of client 1." + had + "n2, n3 and n4."},
		{verdict.LostByServer, []string{"n3", "n4", "r0"},
			[]record.Fault{{Action: nemesis.Promote, Target: "r0", From: 2e9,
				To: 3e9}},
			"r0 was promoted without the key of client 1." + had + "n3, n4 and r0."},
		{verdict.LostByServer, []string{"n2", "n3", "r0"},
			[]record.Fault{{Action: nemesis.Promote, Target: "r0", From: 1, To: 2}},
			"n2 voted for both, and no longer had the key of client 1." + had + "n2, n3 and r0."},
		{verdict.DoubleGrant, []string{"n2", "n3", "n4"}, nil, "n2 voted for both." + had +
			"n2, n3 and n4."},
		{verdict.Clock, []string{"n2", "n3", "n4"}, []record.Fault{clock("n2", 2e9), clock("n4", 3e9)},
			"by the clock of n2, which was wrong since 2.000 s, the lease of client 1 was over before its " +
				"time." + had + "n2, n3 and n4."},
		{verdict.DoubleGrant, []string{"n3", "n4"}, nil, ""},
		{verdict.DoubleGrant, nil, nil, ""},
	} {
		endless := []record.Lease{{To: record.Forever}}
		p := &record.Pair{A: &record.Hold{Process: 1, Granting: 1e9, Leases: endless},
			B:      &record.Hold{Process: 2, From: 4e9, Leases: endless},
			VotesA: []string{"n0", "n1", "n2"}, VotesB: c.next}
		got := ByVotes(c.faults, p, verdict.Property{Class: c.class, Witness: &verdict.Witness{}})
		if got != c.want {
			t.Errorf("%s, %v: %q, want %q", c.class, c.next, got, c.want)
		}
	}
}

// TestTheCauseOfAClock: a client's clock that ran ahead ends the lease of another client, and one
// that was behind ends its own.
func TestTheCauseOfAClock(t *testing.T) {
	p := &record.Pair{A: &record.Hold{Process: 1, Granting: 1e9},
		B: &record.Hold{Process: 2, From: 4e9}}
	for target, want := range map[string]string{
		"c1": "client 1's clock was wrong since 2.000 s: by the clocks of others the end of the lease " +
			"that it wrote was over.",
		"c2": "by the clock of client 2, which was wrong since 2.000 s, the lease of client 1 was over " +
			"before its time.",
	} {
		fault := record.Fault{Action: nemesis.ClientClock, Target: target, From: 2e9}
		if got := clockOf([]record.Fault{fault}, p); got != want {
			t.Errorf("%s: %q", target, got)
		}
	}
}

// TestAClockThatWasPutRight: a cause names a clock that was put right only if it was wrong after
// the first call, and says until when.
func TestAClockThatWasPutRight(t *testing.T) {
	at := func(d time.Duration) *history.Duration { return history.Ptr(history.Duration(d)) }
	faults := []record.Fault{
		{Action: nemesis.ClientClock, Target: "c2", From: 1e9, To: 2e9, Clock: at(time.Hour)},
		{Action: nemesis.ClientClock, Target: "c2", From: 2e9, To: 2e9, Clock: at(0)}}
	for call, want := range map[int64]string{
		15e8: "by the clock of client 2, which was wrong from 1.000 s to 2.000 s, the lease of " +
			"client 1 was over before its time.",
		25e8: "",
	} {
		p := &record.Pair{A: &record.Hold{Process: 1, Call: call, Granting: 3e9},
			B: &record.Hold{Process: 2, Call: 3e9, From: 4e9}}
		if got := clockOf(faults, p); got != want {
			t.Errorf("called at %d: %q", call, got)
		}
		if got := struckBetween(faults, p, verdict.Property{Witness: &verdict.Witness{}}); (len(got) >
			0) != (want != "") {
			t.Errorf("called at %d: the story has %v", call, got)
		}
	}
	if got := wrongClock(faults, 2, 3e9); got != "" {
		t.Errorf("a command was sent after the clock was right: %q", got)
	}
	if got := wrongClock(faults, 2, 15e8); got == "" {
		t.Error("a command was sent while the clock was wrong, and nothing says so")
	}
}

// TestTheCauseOfADeletionThatCameTwice: a cause says of a deletion that the network delivered twice
// which copy it was, and of a client with a wrong clock that it had one.
func TestTheCauseOfADeletionThatCameTwice(t *testing.T) {
	p := &record.Pair{A: &record.Hold{Process: 1}, B: &record.Hold{Process: 2}}
	const deletes = "client 2 deleted the key that client 1 had taken, on n0"
	for _, c := range []struct {
		copied bool
		first  int64
		fault  record.Fault
		want   string
	}{
		{true, 2e9, record.Fault{}, ": it was the second copy of what this client had sent at 2.000 s."},
		{true, 0, record.Fault{}, ": it arrived twice."},
		{false, 2e9, record.Fault{}, ": it had sent this deletion at 2.000 s and got no reply, so that " +
			"it was sent again."},
		{false, 0, record.Fault{Action: nemesis.ClientClock, Target: "c2", From: 1e9},
			". Client 2's clock was wrong since 1.000 s."},
		{false, 0, record.Fault{Action: nemesis.ClientClock, Target: "c2", From: 5e9}, "."},
		{false, 0, record.Fault{Action: nemesis.ClientClock, Target: "c1", From: 1e9},
			". Client 1's clock was wrong since 1.000 s."},
		{false, 0, record.Fault{Action: nemesis.ClientClock, Target: "c3", From: 1e9}, "."},
	} {
		m := verdict.WitnessCommand{Kind: verdict.ForeignDelete, Copy: c.copied, First: c.first}
		m.Process, m.Node, m.Sent, m.Recv = 2, "n0", 3e9, 4e9
		got := deletedBy([]record.Fault{c.fault}, p, []verdict.WitnessCommand{m})
		if got != deletes+c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestTheCauseOfAnOwnDeletion: a cause speaks of an earlier attempt only if the trace tells for
// which attempt the command was sent.
func TestTheCauseOfAnOwnDeletion(t *testing.T) {
	p := &record.Pair{A: &record.Hold{Process: 1, N: 2}, B: &record.Hold{Process: 2}}
	for n, want := range map[int]string{
		0: "client 1 itself deleted the key that it had taken.",
		1: "a release of an earlier attempt of client 1 deleted the key that it had taken since.",
	} {
		m := verdict.WitnessCommand{Kind: verdict.ForeignDelete}
		m.Process, m.N, m.Sent, m.Recv = 1, n, 3e9, 4e9
		if got := deletedBy(nil, p, []verdict.WitnessCommand{m}); got != want {
			t.Errorf("of acquisition %d: %q", n, got)
		}
	}
}

// TestTheCauseIsTheCertainDeletion: of several commands that may have deleted a key, a cause names
// the one that did.
func TestTheCauseIsTheCertainDeletion(t *testing.T) {
	p := &record.Pair{A: &record.Hold{Process: 1}, B: &record.Hold{Process: 2}}
	by := func(process int, kind verdict.Kind) verdict.WitnessCommand {
		m := verdict.WitnessCommand{Kind: kind}
		m.Process, m.Sent, m.Recv = process, 3e9, 4e9
		return m
	}
	possible, sure, own := by(3, verdict.PossibleDelete), by(2, verdict.ForeignDelete),
		by(1, verdict.OwnDelete)
	for _, c := range []struct {
		commands []verdict.WitnessCommand
		want     string
	}{
		{[]verdict.WitnessCommand{possible, sure}, "client 2 deleted the key that client 1 had taken."},
		{[]verdict.WitnessCommand{possible, own}, "client 3 may have deleted the key that client 1 had " +
			"taken."},
		{[]verdict.WitnessCommand{own}, ""},
	} {
		if got := deletedBy(nil, p, c.commands); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestTheCauseIsTheHoldersOwnCommand: a cause says that the holder's own command freed the key only
// if that is certain.
func TestTheCauseIsTheHoldersOwnCommand(t *testing.T) {
	p := &record.Pair{A: &record.Hold{Process: 1}, B: &record.Hold{Process: 2}}
	for _, unsure := range []bool{false, true} {
		m := verdict.WitnessCommand{Kind: verdict.OwnDelete, Unsure: unsure}
		m.Args, m.Sent, m.Recv = []string{"DEL", "k"}, 3e9, 4e9
		cause, effect := grantedTwice(p, []verdict.WitnessCommand{m}), Deletes(m)
		if strings.Contains(cause, "may have freed") != unsure ||
			strings.Contains(effect, "may have deleted") != unsure {
			t.Errorf("unsure %v: %q, %q", unsure, cause, effect)
		}
	}
}

// TestWhatKeptAHolderApart: the cause of an overrun names the fault that kept the holder from its
// server when the lease ended, and no other.
func TestWhatKeptAHolderApart(t *testing.T) {
	a := &record.Hold{Process: 1, Node: "n0", End: 5e9, Leases: []record.Lease{{To: 2e9}}}
	p := &record.Pair{A: a, B: &record.Hold{Process: 2, From: 3e9, Leases: []record.Lease{{To: 9e9}}}}
	v := verdict.Property{Class: verdict.LeaseOverrun, Witness: &verdict.Witness{}}
	for _, c := range []struct {
		fault record.Fault
		want  string
	}{
		{record.Fault{Action: nemesis.Cut, Target: "c1>*", From: 1e9, To: 4e9},
			" while every link of client 1 was cut"},
		{record.Fault{Action: nemesis.PauseNode, Target: "n0", From: 1e9, To: 4e9},
			" while n0 was stopped"},
		{record.Fault{Action: nemesis.PauseNode, Target: "n1", From: 1e9, To: 4e9}, ""},
		{record.Fault{Action: nemesis.Cut, Target: "c1>n0", From: 1e9, To: 4e9},
			" while client 1's link to n0 was cut"},
		{record.Fault{Action: nemesis.Cut, Target: "c1>n1", From: 1e9, To: 4e9}, ""},
		{record.Fault{Action: nemesis.Cut, Target: "c2>*", From: 1e9, To: 4e9}, ""},
		{record.Fault{Action: nemesis.Cut, Target: "c1>*", From: 0, To: 1e9}, ""},
		{record.Fault{Action: nemesis.Cut, Target: "c1>*", From: 3e9, To: 4e9}, ""},
	} {
		want := "client 1's lease ended at 2.000 s" + c.want + "; it left at 5.000 s."
		if got := Because([]record.Fault{c.fault}, p, v); got != want {
			t.Errorf("%+v: %q, want %q", c.fault, got, want)
		}
	}
}

// TestTheCauseOfALostSession names the client, and a fault only if that struck the client before.
func TestTheCauseOfALostSession(t *testing.T) {
	const lost = "client 1's session had ended when client 2 had the lock at 6.000 s; client 1 " +
		"left at 8.000 s."
	p := &record.Pair{A: &record.Hold{Process: 1, Call: 1e9, From: 1e9, End: 8e9},
		B: &record.Hold{Process: 2, From: 6e9, End: 9e9}}
	for name, c := range map[string]struct {
		fault record.Fault
		want  string
	}{
		"its links": {record.Fault{Action: nemesis.Cut, Target: "c1>*", From: 2e9, To: 9e9},
			"every link of client 1 was cut at 2.000 s, and " + lost},
		"itself": {record.Fault{Action: nemesis.Pause, Target: "c1", From: 2e9, To: 9e9},
			"client 1 was paused at 2.000 s, and " + lost},
		"another client": {record.Fault{Action: nemesis.Pause, Target: "c3", From: 2e9, To: 9e9},
			lost},
		"later":    {record.Fault{Action: nemesis.Pause, Target: "c1", From: 6e9, To: 9e9}, lost},
		"long ago": {record.Fault{Action: nemesis.Pause, Target: "c1", From: 1, To: 1e9}, lost},
	} {
		got := Because([]record.Fault{c.fault}, p, verdict.Property{Class: verdict.SessionLost})
		if got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
