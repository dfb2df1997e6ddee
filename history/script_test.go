package history_test

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/history"
)

func TestAScriptIsNamedByWhatItDoes(t *testing.T) {
	const frees, other = "return redis.call('del', KEYS[1])", "return 1"
	h := history.Header{Scripts: map[string]history.Script{history.ScriptID(frees): {
		Does: history.ScriptFrees, Done: "1"}}}
	for _, c := range []struct{ args, want []string }{
		{[]string{"EVAL", frees, "1", "lock:0", "t"}, []string{"EVAL", "<script: free>", "1", "lock:0",
			"t"}},
		{[]string{"evalsha", strings.ToUpper(history.ScriptID(frees)), "1", "lock:0"},
			[]string{"evalsha", "<script: free>", "1", "lock:0"}},
		{[]string{"eval", other, "0"}, []string{"eval", "<script e0e1f9>", "0"}},
		{[]string{"evalsha", "e0", "0"}, []string{"evalsha", "<script e0>", "0"}},
		{[]string{"SET", frees, "x"}, []string{"SET", frees, "x"}},
		{[]string{"EVAL"}, []string{"EVAL"}},
		{nil, nil},
	} {
		before := strings.Join(c.args, "\x00")
		if got := h.Readable(c.args); strings.Join(got, "\x00") != strings.Join(c.want, "\x00") {
			t.Errorf("%q reads %q, not %q", c.args, got, c.want)
		}
		if strings.Join(c.args, "\x00") != before {
			t.Errorf("%q was changed", before)
		}
	}
}
