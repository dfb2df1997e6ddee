// Package explain is every word that a verdict says: rules decide, and hand over what they found.
// All of it is made by Say, and nothing reads it again: classes, kinds, refusals and stalls are
// fields. A test runs the judge with another language to hold that.
package explain

import "fmt"

// language makes a format of another one; nil leaves it as it is.
var language func(format string) string

// Say is fmt.Sprintf for texts that people read.
func Say(format string, args ...any) string {
	if language != nil {
		format = language(format)
	}
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// Translate makes Say use another language until undo is called. It is for tests, which must not
// judge anything else meanwhile.
func Translate(to func(format string) string) (undo func()) {
	language = to
	return func() { language = nil }
}

// Pseudo is a language for tests: every letter of a format is another one, and no word stays.
// Verbs, with their flags and indices, are left alone.
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
