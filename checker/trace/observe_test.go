package trace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// equal reads commands that all run one script: "from-to" is when one was sent and answered, with
// "?" it has no reply, and with "!" its server did not know the script.
func equal(times ...string) (out []history.Command) {
	for i, at := range times {
		c := history.Command{Process: i, Seq: 1, Node: "n0", Args: []string{"EVAL", "s", "1", "k"}}
		if _, err := fmt.Sscanf(at, "%d-%d", &c.Sent, &c.Recv); err != nil &&
			!strings.HasSuffix(at, "?") {
			panic(at)
		}
		if strings.HasSuffix(at, "!") {
			c.Reply = "(error) NOSCRIPT No matching script."
		}
		out = append(out, c)
	}
	return out
}

// TestObserveIsSure wants what scripts did where it is certain, and nothing where it is not: the
// node shows one run of the script for each word, which names what it did, joined by "+", or is
// "-".
func TestObserveIsSure(t *testing.T) {
	for name, c := range map[string]struct {
		sent  []history.Command
		shown string
		want  string
	}{
		"one after the other":        {equal("1-2", "3-4"), "set del", "0:set 1:del"},
		"two at once":                {equal("1-4", "3-5"), "set del", ""},
		"two at once, the same":      {equal("1-4", "3-5"), "del del", "0:del 1:del"},
		"two at once, and a third":   {equal("1-4", "3-5", "6-7"), "set del get", "2:get"},
		"one never came":             {equal("1-?", "3-4"), "set", "1:set"},
		"one may have come":          {equal("1-?", "3-4"), "set del", ""},
		"all came, and did the same": {equal("1-?", "3-4"), "del del", "0:del 1:del"},
		"two read different things":  {equal("1-4", "3-5"), "get+set set", "0:set 1:set"},
		"two read one thing, too":    {equal("1-4", "3-5"), "get+set get+ttl+set", "0:get 1:get"},
		"two changed, and one read":  {equal("1-4", "3-5"), "get get+set", ""},
		"one prolongs as it reads":   {equal("1-4", "3-5"), "set getex+set", ""},
		"which of two came":          {equal("1-?", "3-4", "3-?"), "del del", "1:del"},
		"one was not run":            {equal("1-2!", "3-4", "5-6"), "- get get", "1:get 2:get"},
		"the same, and not shown":    {equal("1-2!", "3-4"), "get", "1:get"},
		"the same, and one did less": {equal("1-2!", "3-4", "5-6"), "- - get", ""},
		"not all was shown":          {equal("1-2", "3-4"), "set", ""},
		"too much was shown":         {equal("1-2"), "set del", ""},
		"shown before it was sent":   {equal("5000-5001"), "set", ""},
	} {
		var shown []history.NodeCommand
		for i, word := range strings.Fields(c.shown) {
			lines := []string{`1.0 [0 a:1] "EVAL" "s" "1" "k"`}
			for effect := range strings.SplitSeq(strings.Trim(word, "-"), "+") {
				if effect == "" {
					continue
				}
				lines = append(lines, fmt.Sprintf(`1.0 [0 lua] %q "k" "PX" "9"`, effect))
			}
			for _, line := range append(lines, `1.0 [0 a:2] "GET" "other"`) {
				shown = append(shown, history.NodeCommand{T: int64(1000 + i), Line: line})
			}
		}
		var got []string
		for _, m := range Observe(history.Header{}, c.sent,
			map[string][]history.NodeCommand{"n0": shown, "n1": shown}) {
			got = append(got, fmt.Sprintf("%d:%s", m.Process, m.Effects[0][0]))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
}

// TestWhatScriptsDid wants commands with effects to be read by these and not by their reply alone.
func TestWhatScriptsDid(t *testing.T) {
	for name, c := range map[string]struct{ effects, reply, want string }{
		"takes unconditionally":       {"exists k, set k v PX 1000", "1", "takes"},
		"takes, and returns nothing":  {"exists k, hincrby k me 1, pexpire k 9", "(nil)", "takes"},
		"takes if it is free":         {"set k v NX PX 1000", "OK", "takes"},
		"is told that it is not free": {"set k v NX PX 1000", "(nil)", "denied refused"},
		"looks, and is denied":        {"exists k, pttl k", "900", "denied refused"},
		"prolongs":                    {"get k, pexpire k 1000", "1", ""},
		"deletes":                     {"get k, del k", "1", "frees deleted may-have-deleted"},
		"deletes, and says nothing":   {"get k, del k", "(nil)", "frees may-have-deleted"},
		"counts down":                 {"hincrby k me -1, pexpire k 9", "0", ""},
		"deletes another key":         {"exists k, del other", "1", "denied refused"},
		"failed":                      {"set k v", "(error) ERR x", ""},
	} {
		run := func(effects, reply string) history.Command {
			m := history.Command{Args: []string{"EVALSHA", "AB", "1", "k"}, Recv: 1, Reply: reply}
			for _, words := range strings.Split(effects, ", ") {
				m.Effects = append(m.Effects, strings.Fields(words))
			}
			return m
		}
		// once the script took the key
		ms := []history.Command{run(c.effects, c.reply), run("set k v", "1")}
		tr := New(history.Header{}, nil, ms)
		m, got := &ms[0], ""
		for _, f := range []struct {
			what string
			is   func(*history.Command) bool
		}{
			{"takes", tr.Takes}, {"denied", tr.Denied}, {"refused", tr.Refused}, {"frees", tr.Frees},
			{"deleted", tr.Deleted}, {"may-have-deleted", tr.MayHaveDeleted}, {"undeclared", tr.Undeclared},
		} {
			if f.is(m) {
				got += " " + f.what
			}
		}
		if got = strings.TrimSpace(got); got != c.want {
			t.Errorf("%s: it %q, want %q", name, got, c.want)
		}
	}
}
