package gate

import (
	"slices"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
)

// TestOutcomesGoWithTheReply tells a client that is told the truth from another, by the last
// word of Redis; what a watchdog says meanwhile is not part of the call.
func TestOutcomesGoWithTheReply(t *testing.T) {
	const ms = int64(time.Millisecond)
	op := func(typ history.Type, process int, f string, at int64, why history.Refusal) history.Event {
		return history.Event{Type: typ, Process: process, F: f, T: at * ms, Why: why}
	}
	said := func(process int, sent int64, reply string, args ...string) history.Command {
		return history.Command{Process: process, Sent: sent * ms, Recv: (sent + 1) * ms, Reply: reply,
			Args: args}
	}
	r := &store.Run{History: &history.History{Header: history.Header{
		AcquireTimeout: history.Duration(800 * ms)}, Events: []history.Event{
		op(history.Invoke, 0, history.Acquire, 0, ""), op(history.OK, 0, history.Acquire, 5, ""),
		op(history.Invoke, 1, history.Acquire, 1, ""),
		op(history.Fail, 1, history.Acquire, 90, "gave-up"),
		op(history.Invoke, 0, history.Release, 100, ""), op(history.OK, 0, history.Release, 110, ""),
		op(history.Invoke, 1, history.Acquire, 120, ""),
		op(history.Fail, 1, history.Acquire, 130, "gave-up"), // and asks no more
		op(history.Invoke, 0, history.Release, 140, ""), op(history.Fail, 0, history.Release, 150, ""),
	}}, Trace: []history.Command{
		said(0, 1, "OK", "SET", "k", "v", "NX"), said(0, 50, "1", "PEXPIRE", "k", "9"),
		said(0, 101, "1", "EVAL", "free", "1", "k", "v"), said(0, 105, "0", "PEXPIRE", "k", "9"),
		said(1, 2, "(nil)", "SET", "k", "w", "NX"),
		said(0, 141, "0", "EVAL", "free", "1", "k", "v"),
	}}
	got := outcomes(r)
	slices.Sort(got)
	want := []string{"acquire: fail gave-up", "acquire: fail gave-up early", "acquire: ok",
		"release: fail", "release: fail, told 0", "release: ok", "release: ok, told 1"}
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestACommandThatIsSentAgainIsAForm if it is the same one of the same acquisition, and no reply
// came to the first.
func TestACommandThatIsSentAgainIsAForm(t *testing.T) {
	take := func(n int, owner string, why history.Loss) history.Command {
		return history.Command{N: n, Recv: 2, Args: []string{"SET", "k", owner, "NX"}, Why: why}
	}
	lost := take(1, "v", history.BrokenOff)
	resent := take(1, "v", "")
	resent.Again = 1
	for name, c := range map[string]struct {
		trace []history.Command
		want  bool
	}{
		"the same after no reply":        {[]history.Command{lost, take(1, "v", "")}, true},
		"resent by the client":           {[]history.Command{resent}, true},
		"the same after a reply":         {[]history.Command{take(1, "v", ""), take(1, "v", "")}, false},
		"another value":                  {[]history.Command{lost, take(1, "w", "")}, false},
		"of the next acquisition":        {[]history.Command{lost, take(2, "v", "")}, false},
		"the first did not leave at all": {[]history.Command{take(1, "v", history.NotSent), lost}, false},
	} {
		all := forms(&store.Run{History: &history.History{}, Trace: c.trace})
		if got := slices.Contains(all, "SET KEY VALUE NX again without a reply"); got != c.want {
			t.Errorf("%s: %t in %q", name, got, all)
		}
	}
}
