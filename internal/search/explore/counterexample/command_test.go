package counterexample

import (
	"slices"
	"testing"
)

// TestWords wants back what Render has written, and knows a script by its hash.
func TestWords(t *testing.T) {
	for _, words := range [][]string{{"GET", "l"}, {"SET", "a b", "\"q\"", "", "{x}"},
		{"SET", "ü\n", "\\"}} {
		if got := Words(Render(words)); !slices.Equal(got, words) {
			t.Errorf("%q became %q", words, got)
		}
	}
	const want = "eval sha1:e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0"
	if got := Render([]string{"eval", "return 1", "0"}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestGreets leaves out what go-redis sends by itself, and nothing else.
func TestGreets(t *testing.T) {
	for command, want := range map[string]bool{"HELLO": true, "client": true, "AUTH": true,
		"select": true, "PING": false, "SET": false, "": false} {
		if Greets(command) != want {
			t.Errorf("%q: %v", command, !want)
		}
	}
}
