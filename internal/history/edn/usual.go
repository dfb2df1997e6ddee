package edn

import (
	"bytes"

	"olympos.io/encoding/edn"
)

// usual reads the usual map of an operation without the EDN library, which takes ten times as long.
// A usual map has each field once. A value is nil, a whole number, a plain keyword or a plain
// string, or in :value a vector of two of them. usual leaves all other maps, and all errors, to the
// library, whose result for a usual map is the same.
type usual struct {
	form []byte
	i    int
	seen map[string]any // the keywords so far
}

func newUsual() *usual { return &usual{seen: map[string]any{}} }

// fields reads a map. It returns false if the map is not a usual one.
func (u *usual) fields(form []byte) (f fields, ok bool) {
	u.form, u.i = form, 0
	if !u.next('{') {
		return f, false
	}
	for had := 0; ; {
		if u.blank(); u.next('}') {
			return f, u.i == len(form)
		}
		to, bit := f.find(u.word())
		if to == nil || had&bit != 0 {
			return f, false
		}
		if u.blank(); !u.value(to, to == &f.value) {
			return f, false
		}
		had |= bit
	}
}

// find returns the field of a key, and a bit for it. It returns nil for an unknown key.
func (f *fields) find(key []byte) (*any, int) {
	switch string(key) {
	case "type":
		return &f.typ, 1
	case "f":
		return &f.f, 2
	case "process":
		return &f.process, 4
	case "value":
		return &f.value, 8
	case "index":
		return &f.index, 16
	case "time":
		return &f.time, 32
	case "error":
		return &f.err, 64
	case "mode":
		return &f.mode, 128
	case "key":
		return &f.key, 256
	}
	return nil, 0
}

func (u *usual) value(v *any, vector bool) bool {
	switch c := u.peek(); {
	case c == ':':
		word := u.word()
		if word == nil {
			return false
		}
		known := u.seen[string(word)]
		if known == nil {
			known = edn.Keyword(word)
			u.keep(string(word), known)
		}
		*v = known
		return true
	case c == '"':
		return u.text(v)
	case c == 'n':
		*v = nil
		return bytes.HasPrefix(u.form[u.i:], []byte("nil")) && u.skip(3)
	case c == '[' && vector:
		return u.pair(v)
	default:
		return u.number(v)
	}
}

// mostWords bounds the keywords that are kept. Most of them occur again and again.
const mostWords = 1024

func (u *usual) keep(word string, v any) {
	if len(u.seen) < mostWords {
		u.seen[word] = v
	}
}

// pair reads the value of an independent history: [key value].
func (u *usual) pair(v *any) bool {
	both := make([]any, 2)
	u.i++
	for i := range both {
		if u.blank(); !u.value(&both[i], false) {
			return false
		}
	}
	u.blank()
	*v = both
	return u.next(']') && u.ended()
}

// word reads a keyword of letters, digits and dashes that starts with a letter. It returns nil if
// there is no such keyword.
func (u *usual) word() []byte {
	if !u.next(':') {
		return nil
	}
	from := u.i
	for u.i < len(u.form) && (letter(u.form[u.i]) || u.i > from && (u.form[u.i] == '-' ||
		digit(u.form[u.i]))) {
		u.i++
	}
	if u.i == from || !u.ended() {
		return nil
	}
	return u.form[from:u.i]
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// text reads a string of plain ASCII without an escape.
func (u *usual) text(v *any) bool {
	u.i++
	n := bytes.IndexByte(u.form[u.i:], '"')
	if n < 0 {
		return false
	}
	text := u.form[u.i : u.i+n]
	for _, c := range text {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	*v = string(text)
	return u.skip(n + 1)
}

// number reads a whole number of at most 18 digits, so that an int64 can hold it.
func (u *usual) number(v *any) bool {
	sign, n := int64(1), int64(0)
	if u.next('-') {
		sign = -1
	}
	from := u.i
	for ; u.i < len(u.form) && digit(u.form[u.i]) && u.i-from < 18; u.i++ {
		n = n*10 + int64(u.form[u.i]-'0')
	}
	*v = sign * n
	return u.i > from && (u.form[from] != '0' || u.i == from+1 && sign > 0) && u.ended()
}

// skip moves by n bytes. It reports whether a value ends there.
func (u *usual) skip(n int) bool {
	u.i += n
	return u.ended()
}

// ended reports whether a value ends here.
func (u *usual) ended() bool {
	switch u.peek() {
	case ' ', ',', '}', ']', '\n':
		return true
	}
	return false
}

func (u *usual) peek() byte {
	if u.i < len(u.form) {
		return u.form[u.i]
	}
	return 0
}

func (u *usual) next(c byte) bool {
	if u.peek() != c {
		return false
	}
	u.i++
	return true
}

func (u *usual) blank() {
	for c := u.peek(); c == ' ' || c == ',' || c == '\n'; c = u.peek() {
		u.i++
	}
}
