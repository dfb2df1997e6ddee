package batch

import (
	"slices"
	"strings"
	"unicode"

	"github.com/lockbench/lockbench/checker"
)

// Truth returns 1 for true and 0 for false, for counting.
func Truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Rank orders results. The common result of several runs is the highest of them.
func Rank(r checker.Result) int {
	return slices.Index([]checker.Result{checker.NA, checker.Valid, checker.Unknown, checker.Violated},
		r)
}

// Plain removes the characters of foreign text that would break its line or change the terminal.
func Plain(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t' || c == '\r':
			return ' '
		case unicode.IsControl(c) || unicode.Is(unicode.Cf, c):
			return '?'
		}
		return c
	}, s)
}
