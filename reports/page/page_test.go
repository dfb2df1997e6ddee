package page

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/lockbench/lockbench/checker"
)

// TestCleanIsSeenAsItIs wants nothing in a clean text that a reader cannot see, whatever comes in.
func TestCleanIsSeenAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		limit := rapid.IntRange(0, 20).Draw(t, "limit")
		out := Clean(in, limit)
		if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool {
			return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
		}) {
			t.Errorf("%q became %q", in, out)
		}
		if n := utf8.RuneCountInString(in); limit > 0 && n > limit && !strings.HasSuffix(out, "…") {
			t.Errorf("%d runes, shortened to %d without a word: %q", n, limit, out)
		}
	})
}

// TestCodeStaysInItsSpan reads a code span as a forge does: only as many backticks end it.
func TestCodeStaysInItsSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringMatching("[`a| @<\\n]{1,20}").Draw(t, "text")
		out := Code(in, 0)
		if out == "" {
			return
		}
		inner := strings.TrimLeft(out, "`")
		fence := out[:len(out)-len(inner)]
		end := strings.Index(inner, fence)
		if end != len(inner)-len(fence) || strings.Contains(out, "\n") {
			t.Errorf("%q became %q", in, out)
		}
	})
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Literal("a|b*c_d`e<f>[g]#h&\\"), "a\\|b\\*c\\_d\\`e&lt;f&gt;\\[g\\]\\#h&amp;\\\\"},
		{Cell("a|b", 0), "`a\\|b`"},
		{Code(" ", 0), ""},
		{Code("`x", 0), "`` `x ``"},
		{Fenced("one\n```\ntwo\x1b"), "one\n` ` `\ntwo\\x1b"},
		{Printable("a\tb\nc\x00"), "a\\tb\nc\\x00"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestPolicyAllowsItsScriptsAndNothingElse(t *testing.T) {
	none, one := PolicyFor(), PolicyFor("alert(1)")
	for _, p := range []string{none, one} {
		if !strings.HasPrefix(p, "default-src 'none'; ") || strings.Contains(p, "script-src 'unsafe") {
			t.Errorf("policy %s", p)
		}
	}
	const hash = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='" // openssl dgst -sha256
	if !strings.HasSuffix(one, "script-src "+hash) || strings.Contains(none, "sha256") {
		t.Errorf("policies %s and %s", none, one)
	}
}

func TestStates(t *testing.T) {
	for r, want := range map[checker.Result]string{checker.Violated: "violated",
		checker.Valid: "valid", checker.NA: "na", checker.Unknown: "unknown", "": "unknown",
		`"><script>`: "unknown"} {
		if got := State(r); got != want {
			t.Errorf("%s has the class %s, want %s", r, got, want)
		}
	}
}
