// Package units formats stamps, durations, counts and lists for people, in the same way wherever
// lockbench prints or draws them. No program reads these texts.
package units

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Stamp formats a stamp, in nanoseconds since the start of the run, as seconds to the millisecond:
// "0.061 s".
func Stamp(t int64) string { return fmt.Sprintf("%.3f s", Seconds(t)) }

// Micros formats a stamp to the microsecond, for tables that show an order: "0.061 234".
func Micros(t int64) string {
	us := int64(math.Round(float64(t) / 1e3))
	sign := ""
	if us < 0 {
		sign, us = "−", -us
	}
	return fmt.Sprintf("%s%d.%03d %03d", sign, us/1e6, us/1e3%1e3, us%1e3)
}

// Seconds converts a stamp, or a difference of stamps, to seconds.
func Seconds(ns int64) float64 { return float64(ns) / 1e9 }

// Millis converts a stamp, or a difference of stamps, to milliseconds.
func Millis(ns int64) float64 { return float64(ns) / 1e6 }

// Span formats a duration: "164 ms", "1.30 s", "85 µs".
func Span[D ~int64](ns D) string {
	d := time.Duration(ns)
	switch a := max(d, -d); {
	case a == 0:
		return "0"
	case a < time.Microsecond:
		return fmt.Sprintf("%d ns", d.Nanoseconds())
	case a < 10*time.Microsecond:
		return fmt.Sprintf("%.1f µs", float64(d)/1e3)
	case a < time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(d)/1e3)
	case a < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	case a < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	case a < 10*time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case a < 2*time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// Count formats a number of things: "1 client", "4 clients", "4 entries". Many is the plural if it
// is irregular: Count(3, "span of a key", "spans of keys").
func Count(n int, one string, many ...string) string {
	return Thousands(n) + " " + Plural(n, one, many...)
}

// Plural returns the word one if n is 1, and its plural otherwise. The plural is many[0] if it is
// given, and regular otherwise.
func Plural(n int, one string, many ...string) string {
	switch last := len(one) - 1; {
	case n == 1 || last < 1:
		return one
	case len(many) > 0:
		return many[0]
	case one[last] == 'y' && !strings.ContainsRune("aeiou", rune(one[last-1])):
		return one[:last] + "ies"
	case strings.HasSuffix(one, "s"), strings.HasSuffix(one, "x"), strings.HasSuffix(one, "ch"),
		strings.HasSuffix(one, "sh"):
		return one + "es"
	}
	return one + "s"
}

// Thousands formats 100000 as "100,000".
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// List joins items: "a", "a and b", "a, b and c".
func List[T any](items []T) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = fmt.Sprint(item)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Upper makes the first letter a capital, unless it starts a name with a digit, such as n0.
func Upper(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	first, _, _ := strings.Cut(s, " ")
	if n == 0 || strings.ContainsAny(first, "0123456789") {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// Sentence makes a capital first letter and a full stop, unless the text ends like a sentence.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return Upper(s)
	}
	return Upper(s) + "."
}

// Quantile returns the q-quantile of sorted values by the nearest rank: the smallest that a share q
// of them does not exceed. It returns the zero value if there are none.
func Quantile[T any](sorted []T, q float64) (v T) {
	if len(sorted) == 0 {
		return v
	}
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// Nearest returns the name that a wrong one probably means, or "" if none is near.
func Nearest(name string, names []string) string {
	best, at := len(name)/2+1, ""
	for _, n := range names {
		d := distance(name, n)
		if strings.HasPrefix(n, name) {
			d = 1 // the beginning of a name
		}
		if d < best && name != "" {
			best, at = d, n
		}
	}
	return at
}

// DidYouMean returns " (did you mean X?)" for the name that a wrong one probably means, or "".
func DidYouMean(name string, names []string) string {
	if near := Nearest(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// distance returns the number of letters to insert, delete or change to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diag := row[0]
		row[0] = i + 1
		for j := range b {
			change := diag
			if a[i] != b[j] {
				change++
			}
			diag = row[j+1]
			row[j+1] = min(change, diag+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// Quoted quotes a word for a shell, in a command that people copy.
func Quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\"'`$&|;<>()*?[]#~\\") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// If returns a list of one text if a condition holds, and an empty list otherwise.
func If(is bool, text string) []string {
	if is {
		return []string{text}
	}
	return nil
}

var owner = regexp.MustCompile(`\b([0-9a-f]{6})[0-9a-f-]{10,}([0-9a-f]{4})\b`)

// ShortOwners shortens each long owner value in a text to its beginning and its end, which tell one
// value from another.
func ShortOwners(s string) string { return owner.ReplaceAllString(s, "$1…$2") }
