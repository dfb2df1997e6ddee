package history_test

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
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

// TestATimeIsNamedByItsStamp: locks that keep times of a wall clock are read beside stamps.
func TestATimeIsNamedByItsStamp(t *testing.T) {
	h := history.Header{Started: "2026-11-23T12:00:00.5Z"} // 1795435200.5
	for arg, want := range map[string]string{
		"1795435202500":       "1795435202500 <2.000 s>",
		"1795435202":          "1795435202 <1.500 s>",
		"1795435201.25":       "1795435201.25 <0.750 s>",
		"1795435199500000":    "1795435199500000 <-1.000 s>",
		"1795435200500000000": "1795435200500000000 <0.000 s>",
		"1795435202500x":      "1795435202500x",
		"01795435202500":      "01795435202500",
		"1400000000000":       "1400000000000", // another year
		"2000":                "2000",
		"":                    "",
	} {
		if got := h.Readable([]string{"SET", arg})[1]; got != want {
			t.Errorf("%q reads %q, not %q", arg, got, want)
		}
	}
	const any = "1795435202500"
	if got := (history.Header{}).Readable([]string{"SET", any})[1]; got != any {
		t.Errorf("without a beginning: %q", got)
	}
}
