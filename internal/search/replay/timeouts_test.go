package replay

import (
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/workloads"
)

// TestPatience: clients give up when they are told, and never by themselves.
func TestPatience(t *testing.T) {
	for topology, want := range map[string]time.Duration{"independent": generous, "single": 0} {
		c := &counterexample.Counterexample{}
		c.Plan.Topology, c.Plan.ClientTimeout = topology, history.Duration(time.Second)
		w := patient(c)
		if w.NodeTimeout.D() != want || w.ClientTimeout.D() != generous {
			t.Errorf("%s: %v, %v", topology, w.NodeTimeout, w.ClientTimeout)
		}
	}
}

// TestNeverComes: a command whose connection ended has come to the relay by then or will not come,
// unless a fault keeps it.
func TestNeverComes(t *testing.T) {
	for _, x := range []struct {
		loss       history.Loss
		late, want bool
	}{
		{history.BrokenOff, false, true}, {history.BrokenOff, true, false},
		{history.Canceled, false, true}, {history.NotSent, true, true},
		{history.TimedOut, false, false}, {"", false, false},
	} {
		if got := (&sentCommand{late: x.late}).neverComes(x.loss); got != x.want {
			t.Errorf("%q, late %v: %v", x.loss, x.late, got)
		}
	}
}

// TestFailsIn: a client whose command is lost with its connection is told before how late it is.
func TestFailsIn(t *testing.T) {
	sent := at(0, counterexample.Send, 1, "GET k")
	for loss, want := range map[history.Loss]bool{history.BrokenOff: true, history.NotSent: true,
		"": false, history.TimedOut: false} {
		got, other := at(1, counterexample.Recv, 1, "GET k"), at(1, counterexample.Recv, 2, "GET k")
		got.Loss, other.Loss = loss, history.BrokenOff
		if fails := failsIn(orderTurns([]counterexample.Step{sent, got, other}), sent); fails != want {
			t.Errorf("%q: %v", loss, fails)
		}
	}
}

// TestSleepsIn: of the commands of a fan-out a client sleeps after the last.
func TestSleepsIn(t *testing.T) {
	all := orderTurns([]counterexample.Step{at(0, counterexample.Send, 1, "GET k"),
		at(1, counterexample.Send, 2, "GET k"), at(9000, counterexample.Send, 3, "GET k")})
	for i, want := range []bool{false, true, true} {
		if got := sleepsIn(all[i+1:], all[i].Step); got != want {
			t.Errorf("after command %d: %v", i+1, got)
		}
	}
}

// TestBetweenTries: a client that has sent a command waits for its reply.
func TestBetweenTries(t *testing.T) {
	r, a := &replayer{}, &actor{answers: map[int]history.Command{}}
	for _, x := range []struct {
		command history.Command
		want    bool
	}{
		{history.Command{Seq: 1, Sent: 5}, false}, {history.Command{Seq: 2, Sent: 6}, false},
		{history.Command{Seq: 1, Recv: 7}, false}, {history.Command{Seq: 2, Recv: 8}, true},
	} {
		if r.note(a, workloads.Report{Command: &x.command}); a.idle() != x.want {
			t.Errorf("after %+v: %v", x.command, a.idle())
		}
	}
}

// TestForgets: a command whose connection was refused will not come, so that the next equal one is
// taken for itself.
func TestForgets(t *testing.T) {
	r := &relay{wake: func() {}, told: map[int]int{}}
	words := []string{"SET", "k", "a"}
	first := &sentCommand{node: "n0", words: words, command: counterexample.Render(words), late: true}
	second := &sentCommand{node: "n0", words: words, command: counterexample.Render(words), late: true}
	r.expect(first)
	r.expect(second)
	r.forget(first)
	m := &message{conn: &connection{relay: r, node: "n0"}, words: words}
	if got := r.sentAs(m); got != second {
		t.Errorf("it is taken for %v", got)
	}
}
