package mutate

import (
	"fmt"
	"strings"
)

// lexeme is a token of a Lua script: a name, a number, a quoted string or a symbol. White space and
// comments are skipped.
type lexeme struct {
	from, to int // byte offsets
	text     string
}

// lexemes splits a script into tokens. It supports the part of Lua that scripts of locks use,
// without long strings and multi-line comments.
func lexemes(script string) (out []lexeme, err error) {
	for at := 0; at < len(script); {
		rest := script[at:]
		n := wordLen(rest)
		switch {
		case strings.HasPrefix(rest, "--[[") || strings.HasPrefix(rest, "[["):
			return nil, fmt.Errorf("offset %d: a text in long brackets is not known", at)
		case strings.HasPrefix(rest, "--"):
			at += lineLen(rest)
			continue
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			at++
			continue
		case rest[0] == '\'' || rest[0] == '"':
			if n = quotedLen(rest); n == 0 {
				return nil, fmt.Errorf("offset %d: the text has no end", at)
			}
		case n > 0:
		case len(rest) > 1 && strings.Contains("== ~= <= >= ..", rest[:2]) && rest[1] != ' ' &&
			rest[0] != ' ':
			n = 2
		default:
			n = 1
		}
		out = append(out, lexeme{at, at + n, rest[:n]})
		at += n
	}
	return out, nil
}

// wordLen returns the length of the name or number at the start of a text.
func wordLen(s string) (n int) {
	for n < len(s) && (s[n] == '_' || '0' <= s[n] && s[n] <= '9' || 'a' <= s[n] && s[n] <= 'z' ||
		'A' <= s[n] && s[n] <= 'Z') {
		n++
	}
	return n
}

// lineLen returns the length of the first line of a text, without its end.
func lineLen(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

// quotedLen returns the length of the quoted string at the start of a text, or 0 if it is not
// terminated.
func quotedLen(s string) int {
	for n := 1; n < len(s); n++ {
		switch s[n] {
		case '\\':
			n++
		case s[0]:
			return n + 1
		}
	}
	return 0
}
