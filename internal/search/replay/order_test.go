package replay

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
)

// at is a step of client 0 with node n0, so many microseconds after the beginning.
func at(us int, kind counterexample.Kind, seq int, command string) counterexample.Step {
	return counterexample.Step{At: history.Duration(us) * history.Duration(time.Microsecond),
		Kind: kind, Seq: seq, Node: "n0", Command: command}
}

// order is what follows which: the kind and the number of each command.
func order(all []turn) (words []string) {
	for _, t := range all {
		words = append(words, fmt.Sprint(t.Kind, " ", t.Seq))
	}
	return words
}

// TestTurns puts steps in the order in which they take effect, and joins a command that a node
// executes to the one that its client sent.
func TestTurns(t *testing.T) {
	const send, exec, recv = counterexample.Send, counterexample.Exec, counterexample.Recv
	const try = "EVAL sha1:abc 1 lock:0"
	left := func(s counterexample.Step) counterexample.Step {
		s.Reply = "0"
		return s
	}
	for _, x := range []struct {
		name  string
		steps []counterexample.Step
		want  []string
	}{
		{"as they stand",
			[]counterexample.Step{at(0, send, 1, "GET k"), at(1, exec, 1, "GET k"), at(2, recv, 1, "GET k")},
			[]string{"send 1", "exec 1", "recv 1"}},
		{"a command that was given up is the last to be executed",
			[]counterexample.Step{at(0, send, 1, "GET k"), at(1, recv, 1, "GET k"), at(2, send, 2, "GET k"),
				at(3, exec, 1, "GET k")},
			[]string{"send 1", "recv 1", "send 2", "exec 2"}},
		{"it is executed if there is no other",
			[]counterexample.Step{at(0, send, 1, "GET k"), at(1, recv, 1, "GET k"), at(3, exec, 1, "GET k")},
			[]string{"send 1", "recv 1", "exec 1"}},
		{"of two equal ones each is executed once",
			[]counterexample.Step{at(0, send, 1, "GET k"), at(1, send, 2, "GET k"), at(2, exec, 1, "GET k"),
				at(3, exec, 1, "GET k")},
			[]string{"send 1", "send 2", "exec 1", "exec 2"}},
		{"tries in the last millisecond of a lease are one",
			[]counterexample.Step{at(0, send, 1, try), at(1, exec, 1, try), left(at(2, recv, 1, try)),
				at(3, send, 2, try), at(4, exec, 2, try)},
			[]string{"send 2", "exec 2"}},
		{"the last one that is executed stays",
			[]counterexample.Step{at(0, send, 1, try), at(1, exec, 1, try), left(at(2, recv, 1, try)),
				at(3, send, 2, try)},
			[]string{"send 1", "exec 1", "recv 1", "send 2"}},
		{"a try after a millisecond is another",
			[]counterexample.Step{at(0, send, 1, try), at(1, exec, 1, try), left(at(2, recv, 1, try)),
				at(1100, send, 2, try)},
			[]string{"send 1", "exec 1", "recv 1", "send 2"}},
	} {
		if got := order(orderTurns(x.steps)); !slices.Equal(got, x.want) {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
}

// TestTurnsOfLibraries leaves out the commands that no trace has, such as greetings.
func TestTurnsOfLibraries(t *testing.T) {
	const send, exec, recv = counterexample.Send, counterexample.Exec, counterexample.Recv
	c := &counterexample.Counterexample{Steps: []counterexample.Step{at(0, exec, 0, "PING"),
		at(1, send, 1, "GET k"), at(2, exec, 1, "GET k"), at(3, exec, 0, "PING"),
		at(4, recv, 1, "GET k")}}
	own := []string{"exec 0", "send 1", "exec 1", "exec 0", "recv 1"}
	if got := order(turnsOf(c)); !slices.Equal(got, own) {
		t.Errorf("of our own lock: %v", got)
	}
	c.Plan.Adapter = &harness.Adapter{}
	if got := order(turnsOf(c)); !slices.Equal(got, []string{"send 1", "exec 1", "recv 1"}) {
		t.Errorf("of a library: %v", got)
	}
}

// TestGivenUp: what a client does from where it was told to give up is left out, and what others do
// stays, as does what a node executes.
func TestGivenUp(t *testing.T) {
	const send, exec, recv = counterexample.Send, counterexample.Exec, counterexample.Recv
	end := func(s counterexample.Step) counterexample.Step {
		s.CalledOff = s.Kind == counterexample.Mark
		if s.Kind == recv {
			s.Loss = history.Canceled
		}
		return s
	}
	other := at(5, send, 1, "GET k")
	other.Client = 1
	for _, x := range []struct {
		name  string
		steps []counterexample.Step
		want  []string
	}{
		{"in a wait", []counterexample.Step{at(0, send, 1, "GET k"),
			end(at(1, counterexample.Mark, 0, "")), at(2, counterexample.Mark, 0, ""),
			at(3, exec, 1, "GET k"), other},
			[]string{"send 1", "exec 1", "send 1"}},
		{"in a command", []counterexample.Step{at(0, send, 1, "GET k"), end(at(1, recv, 1, "GET k")),
			at(2, send, 2, "GET k"), other}, []string{"send 1"}},
		{"a refusal", []counterexample.Step{at(0, send, 1, "GET k"), at(1, counterexample.Mark, 0, "")},
			[]string{"send 1", "mark 0"}},
	} {
		if got := order(orderTurns(x.steps)); !slices.Equal(got, x.want) {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
}

// TestAnOrderArrivesLater: a client that is redirected gets the order after what it did meanwhile.
func TestAnOrderArrivesLater(t *testing.T) {
	redirect := counterexample.Step{Kind: counterexample.Fault,
		Fault: &nemesis.Step{Do: nemesis.Redirect, Target: "c0", Node: "n1"}}
	all := orderTurns([]counterexample.Step{redirect, at(1, counterexample.Send, 1, "GET k")})
	if all[0].Kind != counterexample.Send || all[0].number != 1 ||
		all[1].At.D() != sim.OrderTime(0) {
		t.Errorf("turns are %v", all)
	}
}

// TestClockKeepsLeases: a command that came after the end of a lease in the record is executed
// after its end here, and one that came just before is executed a little sooner after the grant
// than in the record.
func TestClockKeepsLeases(t *testing.T) {
	const lease = 100_000 // µs
	grant := at(0, counterexample.Exec, 1, "SET lock:0 a NX PX 100")
	grant.Reply = "OK"
	for _, x := range []struct {
		name     string
		second   int // µs after the grant
		granted  time.Duration
		earliest time.Duration
		aligned  bool
	}{
		{"in the middle", lease / 2, 0, 0, false},
		{"long after the end", 2 * lease, 5 * time.Millisecond, 106200 * time.Microsecond, false},
		{"just before the end", lease + 500, 5 * time.Millisecond, 101500 * time.Microsecond, true},
		{"just after the end", lease + 1500, 5 * time.Millisecond, 106200 * time.Microsecond, false},
	} {
		c := &clock{turns: orderTurns([]counterexample.Step{grant,
			at(x.second, counterexample.Exec, 2, "SET lock:0 b NX PX 100")}),
			plan:  harness.Plan{TTL: history.Duration(lease * time.Microsecond)},
			ahead: make([]time.Duration, 2)}
		c.hastens()
		c.begin(0)
		c.done(0, int64(x.granted))
		if got := time.Duration(c.earliest(1)); got != x.earliest || c.aligned(0) != x.aligned {
			t.Errorf("%s: not before %v, want %v; aligned %v", x.name, got, x.earliest, c.aligned(0))
		}
	}
}

// TestWhatIsDueSooner: a command that was executed in the last millisecond of a lease, and its
// sending; and a client that gets an order before its next command sleeps longer, not shorter.
func TestWhatIsDueSooner(t *testing.T) {
	grant := at(0, counterexample.Exec, 1, "SET l x PX 1000")
	grant.Reply = "OK"
	order := at(10, counterexample.Fault, 0, "")
	order.Fault = &nemesis.Step{Do: nemesis.Redirect, Target: "c0", Node: "n1"}
	c := &counterexample.Counterexample{}
	c.Plan.TTL = history.Duration(time.Second)
	for _, x := range []struct {
		name        string
		us          int
		steps       []counterexample.Step
		early, rush time.Duration
	}{
		{"while the lease is valid", 900_000, nil, 0, 0},
		{"in its last millisecond", 1_000_400, nil, sooner + sending, sooner + sending},
		{"when it is over", 1_001_400, nil, 0, 0},
		{"after an order", 900_000, []counterexample.Step{order}, 0, -sending},
	} {
		steps := slices.Concat([]counterexample.Step{grant}, x.steps, []counterexample.Step{
			at(x.us, counterexample.Send, 2, "SET l x NX"), at(x.us, counterexample.Exec, 2, "SET l x NX")})
		k := newClock(c, orderTurns(steps), 0)
		n := len(steps) - 2
		if early := time.Duration(k.recorded(n) - k.dueTime(n)); early != x.early ||
			k.lateness(0, 0) != x.rush {
			t.Errorf("%s: %v sooner, the client hurries by %v", x.name, early, k.lateness(0, 0))
		}
	}
}

// TestASleepUntilTheTimeOut: a client does not hurry whose sleep ends with its time for the lock.
func TestASleepUntilTheTimeOut(t *testing.T) {
	c := &counterexample.Counterexample{}
	c.Plan.TTL, c.Plan.AcquireTimeout = history.Duration(time.Second), history.Duration(5*time.Second)
	for us, want := range map[int]time.Duration{4_900_000: 7 * time.Millisecond,
		5_000_100: 0, 5_200_000: 7 * time.Millisecond} {
		acquire := at(0, counterexample.Mark, 0, "")
		acquire.Phase = counterexample.Acquire
		k := newClock(c, orderTurns([]counterexample.Step{acquire,
			at(100, counterexample.Recv, 1, "GET k"),
			at(us, counterexample.Send, 2, "GET k")}), 0)
		if got := k.lateness(1, int64(7*time.Millisecond+100*time.Microsecond)); got != want {
			t.Errorf("before a step at %d µs it hurries by %v", us, got)
		}
	}
}

// TestARefusedCallIsNotShorter: what a call was late when it began is not made up for in it, if it
// ends since its time is over.
func TestARefusedCallIsNotShorter(t *testing.T) {
	c := &counterexample.Counterexample{}
	c.Plan.TTL = history.Duration(time.Second)
	for phase, want := range map[string]time.Duration{counterexample.Refused: 2 * time.Millisecond,
		counterexample.Granted: 5 * time.Millisecond} {
		acquire, end := at(0, counterexample.Mark, 0, ""), at(400_000, counterexample.Mark, 0, "")
		acquire.Phase, end.Phase = counterexample.Acquire, phase
		k := newClock(c, orderTurns([]counterexample.Step{acquire,
			at(100, counterexample.Recv, 1, "GET k"),
			at(300_000, counterexample.Send, 2, "GET k"), end}), 0)
		k.done(0, int64(3*time.Millisecond))
		if got := k.lateness(1, int64(5*time.Millisecond+100*time.Microsecond)); got != want {
			t.Errorf("in a call that is %s it hurries by %v", phase, got)
		}
	}
}

// TestSlow tells a difference of times that may matter from one that does not.
func TestSlow(t *testing.T) {
	steps := []counterexample.Step{at(0, counterexample.Mark, 0, ""),
		at(99_000, counterexample.Mark, 0, "")}
	for _, x := range []struct {
		name   string
		second time.Duration // here
		gap    time.Duration
		slow   bool
	}{
		{"as in the record", 99 * time.Millisecond, 0, false},
		{"a little later", 100*time.Millisecond + 500*time.Microsecond, 0, false},
		{"a lease has ended in between", 104 * time.Millisecond, 0, true},
		{"far behind", 160 * time.Millisecond, 0, true},
		{"a process stood still", 99 * time.Millisecond, 60 * time.Millisecond, true},
	} {
		c := &clock{turns: orderTurns(steps),
			plan:  harness.Plan{TTL: history.Duration(100 * time.Millisecond)},
			terms: []time.Duration{100 * time.Millisecond}}
		c.begin(0)
		c.done(0, 0)
		c.done(1, int64(x.second))
		c.gap(x.gap)
		if c.slow() != x.slow {
			t.Errorf("%s: slow is %v", x.name, !x.slow)
		}
	}
}

// TestAnotherClassOfALateReplay proves nothing: what was late may be its cause.
func TestAnotherClassOfALateReplay(t *testing.T) {
	c := &counterexample.Counterexample{}
	c.Verdict.Class = checker.LostByServer
	got := checker.Property{Verdict: checker.Violated, Class: checker.LeaseOverrun}
	for late, slow := range map[time.Duration]bool{0: false, 2 * time.Second: true} {
		if o := (&clock{late: late}).compared(c, got); o.Confirmed || o.TooSlow != slow {
			t.Errorf("%v late: %s", late, o)
		}
	}
}
