// Package explain holds all words of a verdict: rules decide, and pass on their findings. Say makes
// every text, and no code reads a text again: classes, kinds, refusals and stalls are fields. A
// test runs the judge in another language to ensure that.
package explain

import "fmt"

// language translates a format into another language. If nil, the format is used unchanged.
var language func(format string) string

// Say formats text for people, like fmt.Sprintf.
func Say(format string, args ...any) string {
	if language != nil {
		format = language(format)
	}
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// Translate makes Say use another language until undo is called. It is for tests, and they must not
// run another judgement meanwhile.
func Translate(to func(format string) string) (undo func()) {
	language = to
	return func() { language = nil }
}

// Pseudo translates into a language for tests: it replaces every letter of a format, so that no
// word stays. It keeps verbs, with their flags and indices.
func Pseudo(format string) string {
	out := []byte(format)
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '%':
			for i++; i < len(out) && !letter(out[i]) && out[i] != '%'; i++ {
			}
		case letter(c):
			out[i] = c&0x20 | 'A' + (c&^0x20-'A'+13)%26
		}
	}
	return string(out)
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
