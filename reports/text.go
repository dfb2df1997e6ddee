package reports

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// clean spells out what a reader could not see or be misled by: control characters, invalid UTF-8,
// and the marks that turn the direction of the text around them. It shortens to at most limit
// runes, if limit is positive. It does not escape for HTML; whoever writes the page does.
func clean(s string, limit int) string {
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

// seconds writes a stamp as seconds since the start of the run, to the millisecond: "0.061 s".
func seconds(t int64) string { return fmt.Sprintf("%.3f s", float64(t)/1e9) }

// micros writes a stamp to the microsecond, for tables in which order matters: "0.061 234".
func micros(t int64) string {
	us := int64(math.Round(float64(t) / 1e3))
	sign := ""
	if us < 0 {
		sign, us = "−", -us
	}
	return fmt.Sprintf("%s%d.%03d %03d", sign, us/1e6, us/1e3%1e3, us%1e3)
}

// short writes a duration as people say it: "164 ms", "1.30 s", "85 µs".
func short(d time.Duration) string {
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

// count writes "1 client" and "4 clients".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + one + "s"
}

// thousands writes 100000 as "100,000".
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// list joins names as people do: "a", "a and b", "a, b and c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// texts writes numbers as texts.
func texts(ns []int) []string {
	var ss []string
	for _, n := range ns {
		ss = append(ss, fmt.Sprint(n))
	}
	return ss
}

// upper makes the first letter a capital.
func upper(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// sentence makes a capital first letter and a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return upper(s)
	}
	return upper(s) + "."
}

// shortNS is short for a difference of stamps.
func shortNS(ns int64) string { return short(time.Duration(ns)) }
