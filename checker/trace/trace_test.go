package trace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

func TestEffectOf(t *testing.T) {
	for _, c := range []struct {
		args []string
		want Effect
	}{
		{nil, Effect{}},
		{[]string{"PING"}, Effect{}},
		{[]string{"setnx", "k", "v"}, Effect{Kind: Take, Key: "k", Value: "v"}},
		{[]string{"SET", "k", "v"}, Effect{Kind: Write, Key: "k", Value: "v"}},
		{[]string{"SET", "k", "NX"}, Effect{Kind: Write, Key: "k", Value: "NX"}},
		{[]string{"SET", "k", "v", "NX", "PX", "500"},
			Effect{Kind: Take, Key: "k", Value: "v", Expiry: Expiry{0.5, false}}},
		{[]string{"SET", "k", "v", "exat", "70", "xx"},
			Effect{Kind: Rewrite, Key: "k", Value: "v", Expiry: Expiry{70, true}}},
		{[]string{"SET", "k", "v", "IFEQ", "v", "PX", "500"},
			Effect{Kind: Expire, Key: "k", Expiry: Expiry{0.5, false}, Compares: true, Is: "v"}},
		{[]string{"SET", "k", "v", "ifeq", "w"},
			Effect{Kind: Rewrite, Key: "k", Value: "v", Compares: true, Is: "w"}},
		{[]string{"SET", "k", "v", "IFEQ", "v"},
			Effect{Kind: Persist, Key: "k", Compares: true, Is: "v"}},
		{[]string{"SET", "k", "v", "IFEQ", "v", "keepttl"}, Effect{Key: "k", Compares: true, Is: "v"}},
		{[]string{"DELIFEQ", "k", "v"}, Effect{Kind: Free, Key: "k", Compares: true, Is: "v"}},
		{[]string{"DELEX", "k", "ifeq", "v"}, Effect{Kind: Free, Key: "k", Compares: true, Is: "v"}},
		{[]string{"DELEX", "k"}, Effect{Kind: Free, Key: "k"}},
		{[]string{"SET", "k", "v", "PX", "soon"}, Effect{Kind: Write, Key: "k", Value: "v"}},
		{[]string{"SETEX", "k", "2", "v"},
			Effect{Kind: Write, Key: "k", Value: "v", Expiry: Expiry{2, false}}},
		{[]string{"psetex", "k", "500", "v"},
			Effect{Kind: Write, Key: "k", Value: "v", Expiry: Expiry{0.5, false}}},
		{[]string{"SETEX", "k", "2"}, Effect{Kind: Write, Key: "k", Value: "2"}},
		{[]string{"GETSET", "k", "v"}, Effect{Kind: Swap, Key: "k", Value: "v"}},
		{[]string{"HINCRBY", "k", "f", "1"}, Effect{Kind: Count, Key: "k", Value: "f"}},
		{[]string{"PEXPIRE", "k", "1500"}, Effect{Kind: Expire, Key: "k", Expiry: Expiry{1.5, false}}},
		{[]string{"GETEX", "k"}, Effect{Key: "k"}},
		{[]string{"GETEX", "k", "px", "500"}, Effect{Kind: Expire, Key: "k", Expiry: Expiry{0.5, false}}},
		{[]string{"GETEX", "k", "PERSIST"}, Effect{Kind: Persist, Key: "k"}},
		{[]string{"UNLINK", "k"}, Effect{Kind: Free, Key: "k"}},
		{[]string{"EVALSHA", "abc", "1", "k", "v"}, Effect{Kind: Script, Key: "k", Value: "v"}},
	} {
		if d := cmp.Diff(c.want, EffectOf(c.args)); d != "" {
			t.Errorf("%v (-want +got):\n%s", c.args, d)
		}
	}
	if at := (Expiry{1.5, false}).EndAt(100); at != 101.5 {
		t.Errorf("a relative end is %v", at)
	}
	if at := (Expiry{1.5, true}).EndAt(100); at != 1.5 {
		t.Errorf("an absolute end is %v", at)
	}
}

// sent is a command with its answer.
func sent(process int, at int64, reply string, args ...string) history.Command {
	return history.Command{Process: process, Seq: int(at), N: 1, Sent: at, Recv: at + 1, Node: "n0",
		Args: args, Reply: reply}
}

func TestReader(t *testing.T) {
	const taking = "return take"
	r := NewReader(history.Header{Scripts: map[string]history.Script{
		history.ScriptID(taking): {Does: history.ScriptTakes, Done: "1|OK", Refused: "-[0-9]+"}}})
	for _, c := range []struct {
		reply                    string
		args                     []string
		takes, takesFree, denied bool
	}{
		{"1", []string{"SETNX", "k", "v"}, true, true, false},
		{"0", []string{"SETNX", "k", "v"}, false, false, true},
		{"OK", []string{"SET", "k", "v"}, true, false, false},
		{"OK", []string{"SET", "k", "v", "NX"}, true, true, false},
		{"(nil)", []string{"SET", "k", "v", "NX"}, false, false, true},
		{"(error) LOADING", []string{"SET", "k", "v", "NX"}, false, false, false},
		{"old", []string{"GETSET", "k", "v"}, true, false, false},
		{"OK", []string{"SET", "k", "v", "IFEQ", "v", "PX", "9"}, false, false, false},
		{"(nil)", []string{"SET", "k", "v", "IFEQ", "v", "PX", "9"}, false, false, false},
		{"OK", []string{"SET", "k", "v", "IFEQ", "v"}, false, false, false},
		{"OK", []string{"SET", "k", "v", "IFEQ", "v", "KEEPTTL"}, false, false, false},
		{"OK", []string{"SET", "k", "w", "IFEQ", "v"}, true, false, false},
		{"1", []string{"DELIFEQ", "k", "v"}, false, false, false},
		{"1", []string{"DEL", "k"}, false, false, false},
		{"1", []string{"EVAL", "return other", "1", "k"}, true, false, false},
		{"640", []string{"EVAL", "return other", "1", "k"}, true, false, false},
		{"0", []string{"EVAL", "return other", "1", "k"}, false, false, false},
		{"1", []string{"EVAL", taking, "1", "k"}, true, true, false},
		{"-640", []string{"EVALSHA", history.ScriptID(taking), "1", "k"}, false, false, true},
		{"640", []string{"EVAL", taking, "1", "k"}, false, false, false},
	} {
		m := sent(0, 1, c.reply, c.args...)
		if r.Takes(&m) != c.takes || r.TakesFree(&m) != c.takesFree || r.Denied(&m) != c.denied {
			t.Errorf("%v -> %s: takes %v, takes free %v, denied %v", c.args, c.reply, r.Takes(&m),
				r.TakesFree(&m), r.Denied(&m))
		}
	}
}

// TestUnchanged: of commands that compare the reply decides; where it is not known, nothing does.
func TestUnchanged(t *testing.T) {
	r := NewReader(history.Header{})
	for _, c := range []struct {
		line                      string
		unchanged, deleted, maybe bool
	}{
		{"DELIFEQ k v = 1", false, true, true},
		{"DELIFEQ k v = 0", true, false, false},
		{"DELEX k IFEQ v = 1", false, true, true},
		{"DELEX k IFEQ v = 0", true, false, false},
		{"DELIFEQ k v = ", false, false, true}, // the reply is lost
		{"SET k v IFEQ v PX 9 = OK", false, false, false},
		{"SET k v IFEQ v PX 9 = (nil)", true, false, false},
		{"SET k v IFEQ v PX 9 GET = v", false, false, false},
		{"SET k v NX = (nil)", false, false, false},
	} {
		words, reply, _ := strings.Cut(c.line, " = ")
		m := sent(0, 1, reply, strings.Fields(words)...)
		if reply == "" {
			m.Recv = 0
		}
		if r.Unchanged(&m) != c.unchanged || r.Deleted(&m) != c.deleted ||
			r.MayHaveDeleted(&m) != c.maybe {
			t.Errorf("%s: unchanged %v, deleted %v, may have deleted %v", c.line,
				r.Unchanged(&m), r.Deleted(&m), r.MayHaveDeleted(&m))
		}
	}
}

func TestTrace(t *testing.T) {
	event := func(typ history.Type, at int64, process int, f string) history.Event {
		return history.Event{Type: typ, T: at, Process: process, F: f, N: 1}
	}
	h := &history.History{Events: []history.Event{
		event(history.Invoke, 10, 0, history.Acquire), event(history.OK, 20, 0, history.Acquire),
		event(history.Invoke, 12, 1, history.Acquire), event(history.Info, 25, 1, history.Acquire),
		event(history.Invoke, 30, 0, history.Release), event(history.OK, 40, 0, history.Release),
		event(history.End, 50, history.Harness, ""),
	}}
	commands := []history.Command{
		sent(0, 11, "0", "SETNX", "k", "a-value"), sent(0, 15, "1", "SETNX", "k", "a-value"),
		sent(1, 16, "1", "SETNX", "k", "b-value"), sent(0, 32, "1", "EVAL", "if", "1", "k", "a-value"),
		sent(1, 33, "1", "EVAL", "if", "1", "k", "b-value"),
	}
	tr := New(h.Header, record.Build(h), commands)
	if g := tr.GrantOf(&record.Build(h).Holds[0]); g != &commands[1] {
		t.Errorf("granted by %v", g)
	}
	if m := &commands[3]; tr.Frees(m) || tr.Deleted(m) || !tr.MayHaveDeleted(m) {
		t.Error("a script that is not declared may have deleted the key, and nothing more is known")
	}
	g := tr.Grants()
	possible := g.Possible[PlaceOf(&commands[0])]
	if !g.Known || len(g.ByHold) != 1 || g.ByHold[0] != &commands[1] || len(possible) != 3 {
		t.Errorf("grants: %+v", g)
	}
	if lock, known := g.LockOf(&commands[4]); lock != 0 || !known {
		t.Error("the key of a grant is not known")
	}
	if d := cmp.Diff(map[string]int{"a-value": 0, "b-value": 1}, Writers(commands)); d != "" {
		t.Errorf("writers (-want +got):\n%s", d)
	}
	if lock, known := NamesOf([]string{"lock:0", "lock:1"}).Lock("run7:lock:1"); lock != 1 || !known {
		t.Error("the key of a lock is not known behind a prefix")
	}
}
