package watch

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/internal/history"
)

// longWord is the number of bytes from which a word is replaced by its hash. Equal words stay
// equal, and the memory is bounded.
const longWord = 256

// shorten replaces the text of a script, and other long words, by their SHA-1. The hash of a script
// is the word that EVALSHA has.
func shorten(args []string) []string {
	for i, a := range args {
		if len(a) > longWord || i == 1 && is(args[0], "eval", "eval_ro") {
			args[i] = history.ScriptID(a)
		}
	}
	return args
}

func is(name string, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(name, n) })
}

// runsScript reports whether a command runs a script or a function.
func runsScript(args []string) bool {
	return len(args) > 2 &&
		is(args[0], "eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro")
}

// Mask shows the start of a value and its length. Values are never written in full.
func Mask(v string) string {
	show := []rune(strings.ToValidUTF8(v, "?"))
	return fmt.Sprintf("%s…(%d)", name(string(show[:min(4, len(show)/3)])), len(v))
}

// optionWords are shown in full in a witness.
var optionWords = map[string]bool{"nx": true, "xx": true, "px": true, "ex": true, "pxat": true,
	"exat": true, "get": true, "keepttl": true, "gt": true, "lt": true, "persist": true}

// witness returns a command as a line for people, with its stamp and its client's address.
func witness(c history.Shown, key string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d.%06d %s %s", c.At/1e6, c.At%1e6, c.From, strings.ToUpper(name(c.Args[0])))
	for i, a := range c.Args[1:] {
		switch before := strings.ToLower(c.Args[i]); {
		case i > 12:
			return b.String() + " …"
		case a == key || optionWords[strings.ToLower(a)]:
			b.WriteString(" " + name(a))
		case i == 0 && runsScript(c.Args):
			b.WriteString(" " + name(a[:min(8, len(a))]) + "…")
		case isNumber(a) && (optionWords[before] || i == 1 && is(c.Args[0], "expire", "pexpire",
			"expireat", "pexpireat", "setex", "psetex")):
			b.WriteString(" " + a)
		case i == 1 && runsScript(c.Args):
			b.WriteString(" " + name(a))
		default:
			b.WriteString(" " + Mask(a))
		}
	}
	return b.String()
}

func isNumber(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	return err == nil
}

// name shows a key or a command: it is foreign text of any length.
func name(s string) string {
	q := strconv.QuoteToGraphic(strings.ToValidUTF8(s[:min(len(s), 120)], "?"))
	return q[1 : len(q)-1]
}

// owner returns the value by which a lock recognises its key: the string, or the only field of a
// hash. It returns false if several clients share the key, or the value is of another type.
func owner(v *engine.Value) (string, bool) {
	fields := v.Fields()
	switch len(fields) {
	case 0:
		return v.Text(), true
	case 1:
		name, text := fields[0], v.Field(fields[0])
		word := len(name) < 10 && !strings.ContainsAny(name, "0123456789")
		if word && len(text) >= unique && !isNumber(text) {
			return text, name != "mode" // the field has the same name for each owner
		}
		return name, name != "mode"
	}
	return "", false
}

// isTime reports whether a value looks like a time near the server's clock, in µs, so that the
// lease may be in it.
func isTime(value string, now int64) bool {
	const year = 366 * 24 * 3600 * 1e6
	f, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return false
	}
	return slices.ContainsFunc([]float64{1e6, 1e3, 1}, func(unit float64) bool {
		return math.Abs(f*unit-float64(now)) < year
	})
}
