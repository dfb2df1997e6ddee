package batch

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/lockbench/lockbench/checker"
)

func RunsOf(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

func Truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func Rank(r checker.Result) int {
	return slices.Index([]checker.Result{checker.NA, checker.Valid, checker.Unknown, checker.Violated},
		r)
}

// plain keeps foreign text on its line and the terminal as it is.
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
