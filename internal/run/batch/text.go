package batch

import (
	"math"
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

// NoAccident is the chance below which a difference between two groups of runs is considered real.
const NoAccident = 1e-4

// Chance returns the chance of none in n runs and k in m if both groups have the same rate
// (Fisher).
func Chance(n, k, m int) float64 {
	log := 0.0
	for i := range k {
		log += math.Log(float64(m-i)) - math.Log(float64(n+m-i))
	}
	return math.Exp(log)
}
