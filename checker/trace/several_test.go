package trace

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestKeysOfScripts: a script becomes one command for each key that it may have reached. Other
// commands stay, also if a number is where a script has the number of its keys.
func TestKeysOfScripts(t *testing.T) {
	r := NewReader(history.Header{Scripts: map[string]history.Script{
		history.ScriptID("take"): {Does: history.ScriptTakes, Done: "1"},
		history.ScriptID("free"): {Does: history.ScriptFrees, Done: "1"}}})
	for args, want := range map[string]string{
		"SET k 2 j NX":               "k",
		"EVAL any 1 k a":             "k",
		"EVAL any 2 k queue a":       "queue k",
		"EVAL any 3 k queue":         "queue k",
		"EVAL any many k queue":      "k",
		"EVAL any 0":                 "",
		"EVAL any":                   "",
		"EVAL":                       "",
		"EVAL take 2 k queue a":      "k",
		"EVAL free 2 k queue a":      "queue k",
		"EVAL any 2 k queue | GET k": "k",
		"EVAL any 3 k queue j | INCR queue | SET j k": "j queue k",
	} {
		call, did, _ := strings.Cut(args, " | ")
		m := history.Command{Args: strings.Fields(call)}
		for _, effect := range strings.Split(did, " | ") {
			if did != "" {
				m.Effects = append(m.Effects, strings.Fields(effect))
			}
		}
		var keys []string
		for _, one := range r.onePerKey([]history.Command{m}) {
			keys = append(keys, Key(&one))
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}
