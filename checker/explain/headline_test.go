package explain

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// TestHeadlinesNameTheDefect: each class has a headline of its own. It says "may" if a step is
// uncertain.
func TestHeadlinesNameTheDefect(t *testing.T) {
	hold := func(process int, from, to int64) *record.Hold {
		return &record.Hold{Process: process, From: from, End: to,
			Leases: []record.Lease{{From: from, To: from + 2e9}}}
	}
	client := func(process int) *int { return &process }
	deletes := func(process int, kind verdict.Kind, recv int64) []verdict.WitnessCommand {
		return []verdict.WitnessCommand{{Kind: kind, Command: history.Command{Process: process,
			Args: []string{"DEL", "k"}, Sent: 2e9, Recv: recv}}}
	}
	for _, c := range []struct {
		class    string
		commands []verdict.WitnessCommand
		faults   []record.Fault
		want     string
	}{
		{verdict.LeaseOverrun, nil, nil, "Client 1 was still inside when its lease ended, and client 2 " +
			"was granted the lock: both were inside for 1.00 s. A longer lease only makes this rarer."},
		{verdict.LeaseOverrun, nil, []record.Fault{{Action: nemesis.Promote, By: new(int), From: 3.5e9},
			{Action: nemesis.KillNode, By: client(1), From: 2e9}}, "Client 1 was still inside when"},
		{verdict.LeaseOverrun, nil, []record.Fault{{Action: nemesis.KillNode, By: client(1),
			From: 3.5e9}}, "The scenario held client 1 at a breakpoint until its lease was over, " +
			"and client 2 was granted"},
		{verdict.SessionLost, nil, nil, "inside when its session ended"},
		{verdict.ReleasedByNonOwner, deletes(2, verdict.ForeignDelete, 3e9), nil,
			"Client 2 deleted the key of client 1 and was granted the lock:"},
		{verdict.ReleasedByNonOwner, deletes(3, verdict.ForeignDelete, 3e9), nil,
			"Client 3 deleted the key of client 1, and client 2 was granted the lock:"},
		{verdict.ReleasedByNonOwner, deletes(3, verdict.PossibleDelete, 3e9), nil,
			"Client 3 may have deleted the key of client 1,"},
		{verdict.ReleasedByNonOwner, deletes(3, verdict.ForeignDelete, 0), nil,
			"Client 3 may have deleted the key of client 1,"},
		{verdict.LateMessage, deletes(1, verdict.LateDelete, 3e9), nil,
			"A late release of client 1 deleted the key of its next hold,"},
		{verdict.LateMessage, nil, nil, "Client 1 entered on a grant whose lease was over"},
		{verdict.LostByServer, nil, []record.Fault{{Action: nemesis.Promote, Target: "n1", From: 1}},
			"The new master never received client 1's lock"},
		{verdict.LostByServer, nil, []record.Fault{{Action: nemesis.KillNode, Target: "n0", From: 1,
			To: 2}}, "A server forgot client 1's lock when it was restarted"},
		{verdict.LostByServer, nil, []record.Fault{{Action: nemesis.LoseDisk, Target: "n0", From: 1}},
			"Client 1's lock was lost with the server's disk"},
		{verdict.LostByServer, nil, nil, "A server no longer had client 1's lock"},
		{verdict.Vanished, nil, nil, "Client 1's key vanished, and no client deleted it, and client 2"},
		{verdict.Vanished, deletes(3, verdict.Emptying, 3e9), nil,
			"Client 1's key vanished, and client 3 had sent DEL, and client 2"},
		{verdict.CheckThenSet, nil, nil, "Clients 1 and 2 both read the key as free before either " +
			"wrote it: both were inside"},
		{verdict.DoubleGrant, nil, nil, "Client 2 was granted the lock although client 1 was inside"},
	} {
		p := &record.Pair{A: hold(1, 1e9, 5e9), B: hold(2, 4e9, 6e9), From: 4e9, To: 5e9}
		p.B.Node = "n1"
		got := Headline(c.faults, p, verdict.Property{Class: c.class,
			Witness: &verdict.Witness{Commands: c.commands}})
		if !strings.HasPrefix(got, c.want) && !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.class, got)
		}
	}
}
