package trace

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestAScriptThatCountsDown leaves its key only if its reply says so, or if its node saw it count
// the key down, and delete it at another time.
func TestAScriptThatCountsDown(t *testing.T) {
	t.Parallel()
	deletes := "HINCRBY k a -1;DEL k"
	for name, c := range map[string]struct {
		earlier, did, reply string
		want                bool
	}{
		"counted down":                  {deletes, "HEXISTS k a;HINCRBY k a -1;PEXPIRE k 9", "0", true},
		"counted down and deleted":      {deletes, deletes, "1", false},
		"counted up":                    {deletes, "HINCRBY k a 1", "0", false},
		"counted another key down":      {deletes, "HINCRBY l a -1", "0", false},
		"deletes no key at any time":    {"HINCRBY k a -1;HDEL k a", "HINCRBY k a -1", "0", false},
		"was not answered":              {deletes, "HINCRBY k a -1", "", false},
		"did nothing that its node saw": {deletes, "", "0", false},
	} {
		var ms []history.Command
		for i, did := range []string{c.earlier, c.did} {
			m := history.Command{Seq: i + 1, Sent: int64(10*i + 1), Recv: int64(10*i + 5), Reply: "1",
				Args: []string{"EVALSHA", "s", "1", "k"}}
			for _, args := range strings.FieldsFunc(did, func(r rune) bool { return r == ';' }) {
				m.Effects = append(m.Effects, strings.Fields(args))
			}
			ms = append(ms, m)
		}
		if ms[1].Reply = c.reply; c.reply == "" {
			ms[1].Recv, ms[1].Err = 0, "timeout"
		}
		r := NewReader(history.Header{})
		r.learn(ms)
		if got := r.LeavesKey(&ms[1]); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	declared := history.Header{Scripts: map[string]history.Script{history.ScriptID("free"): {
		Does: history.ScriptFrees, Done: "1", Kept: "0"}}}
	for reply, want := range map[string]bool{"0": true, "1": false, "(nil)": false} {
		m := history.Command{Sent: 1, Recv: 2, Reply: reply, Args: []string{"EVAL", "free", "1", "k"}}
		if r := NewReader(declared); r.LeavesKey(&m) != want {
			t.Errorf("a declared script, reply %s: %v", reply, !want)
		}
	}
}
