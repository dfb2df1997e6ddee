package trace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestResent: a command that its node shows more often than its clients have sent it was sent again
// by a library.
func TestResent(t *testing.T) {
	for name, c := range map[string]struct{ sent, shown, want string }{
		"once":                            {"SET a", "SET a", ""},
		"again":                           {"SET a", "SET a|SET a", "SET a+1"},
		"twice more":                      {"SET a|SET b", "SET a|SET b|SET a|SET a", "SET a+2"},
		"two clients with the same value": {"SET a|SET a", "SET a|SET a|SET a", ""},
		"a read":                          {"GET k", "GET k|GET k", ""},
		"not shown":                       {"SET a", "", ""},
		"another command":                 {"SET a", "SET b|SET b", ""},
	} {
		var sent []history.Command
		for i, text := range strings.Split(c.sent, "|") {
			sent = append(sent, history.Command{Process: i, Seq: 1, Node: "n0", Sent: 1,
				Args: asArgs(text)})
		}
		var shown []history.NodeCommand
		for _, text := range strings.Split(c.shown, "|") {
			line := `1.0 [0 a:1]`
			for _, word := range asArgs(text) {
				line += fmt.Sprintf(" %q", word)
			}
			shown = append(shown, history.NodeCommand{T: 9, Line: line})
		}
		var got []string
		for _, m := range Resent(sent, map[string][]history.NodeCommand{"n0": shown, "n1": shown}) {
			got = append(got, fmt.Sprintf("%s+%d", c.sent[:5], m.Again))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
}

// asArgs makes "SET k a" of "SET a".
func asArgs(text string) []string {
	verb, value, _ := strings.Cut(text, " ")
	return []string{verb, "k", value}
}
