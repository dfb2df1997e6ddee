package trace

import (
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestMayTake: a key that another client may have had was not left behind. node-redlock asks in a
// script whether the key exists, and then writes it with a SET that has no NX.
func TestMayTake(t *testing.T) {
	declared := history.Header{Scripts: map[string]history.Script{
		history.ScriptID("grab"): {Does: history.ScriptTakes, Done: "1", Refused: "0"}}}
	asked := []string{"exists", "k"}
	for _, c := range []struct {
		what    string
		header  history.Header
		reply   string
		effects [][]string
		want    bool
	}{
		{"a script that asked and wrote", history.Header{}, "1",
			[][]string{asked, {"set", "k", "a", "PX", "9"}}, true},
		{"a script that asked only", history.Header{}, "0", [][]string{asked}, false},
		{"a script of which nothing is known", history.Header{}, "0", nil, true},
		{"a declared script that took it", declared, "1", nil, true},
		{"a declared script that was refused", declared, "0", nil, false},
	} {
		r := NewReader(c.header)
		m := history.Command{Args: []string{"eval", "grab", "1", "k", "a"}, Sent: 1, Recv: 2,
			Reply: c.reply, Effects: c.effects}
		if got := r.MayTake(&m); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}
