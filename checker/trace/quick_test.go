package trace

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestAskingWhatAUsualCommandDoesAllocatesNothing: the rules ask it of each command many times.
func TestAskingWhatAUsualCommandDoesAllocatesNothing(t *testing.T) {
	r := NewReader(history.Header{})
	for _, line := range []string{"set lock:0 c0 px 1000 nx", "SET lock:0 c0 NX EX 30", "get lock:0",
		"setnx lock:0 c0", "pexpire lock:0 1000", "evalsha abc 1 lock:0 c0"} {
		m := &history.Command{Args: strings.Fields(line), Sent: 1, Recv: 2, Reply: "OK"}
		if n := testing.AllocsPerRun(10, func() { r.Takes(m); r.Frees(m); Silent(m); Key(m) }); n > 0 {
			t.Errorf("%q: %.0f allocations", line, n)
		}
	}
}

// TestANameHasAnyCase: the usual names are looked up, all others converted.
func TestANameHasAnyCase(t *testing.T) {
	for _, name := range []string{"set", "SET", "Set", "evalsha", "EvalSha", "fcall", "Zadd", ""} {
		m := &history.Command{Args: []string{name, "text", "1", "lock:0"}}
		if Verb(m) != strings.ToUpper(name) {
			t.Errorf("%q is %q", name, Verb(m))
		}
		if want := commands[strings.ToUpper(name)].kind == Script; scripted(m) != want {
			t.Errorf("%q: a script: %v", name, !want)
		}
	}
}

// TestAnExpiryIsANumber: whole, with a fraction, or none.
func TestAnExpiryIsANumber(t *testing.T) {
	for number, want := range map[string]Expiry{"1000": {1000, false}, "+5": {5, false},
		"-1": {-1, false}, "0.5": {0.5, false}, "9007199254740993": {9007199254740992, false},
		"1e3": {1000, false}, "": {}, "x": {}, "99999999999999999999": {1e20, false}} {
		if got := expiry("EX", number); got != want {
			t.Errorf("%q: %v, want %v", number, got, want)
		}
	}
}
