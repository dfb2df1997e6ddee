package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean spells out what a reader could not see or be misled by: control characters, invalid UTF-8,
// and the marks that turn the direction of the text around them. It shortens to at most limit
// runes, if limit is positive. It does not escape for HTML: the page does.
func Clean(s string, limit int) string {
	var b strings.Builder
	n := 0
	for i, r := range s {
		if limit > 0 && n >= limit {
			b.WriteString("…")
			break
		}
		n++
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80 && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r),
			unicode.Is(unicode.Zp, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Printable is clean for text of several lines.
func Printable(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Clean(l, 0)
	}
	return strings.Join(lines, "\n")
}
