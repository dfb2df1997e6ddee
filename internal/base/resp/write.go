package resp

import (
	"strconv"
	"strings"
)

// Writer writes replies, or a command, one value after the other. Its zero value is empty.
type Writer struct {
	B     []byte
	Three bool // in RESP3; otherwise in RESP2
}

// roomy is the size of memory for most replies.
const roomy = 64

// Grow allocates room for n bytes, once, before the first value.
func (w *Writer) Grow(n int) {
	if w.B == nil {
		w.B = make([]byte, 0, max(roomy, n))
	}
}

func (w *Writer) line(kind byte, s string) {
	w.Grow(roomy)
	w.B = append(w.B, kind)
	w.B = append(w.B, s...)
	w.B = append(w.B, '\r', '\n')
}

// oneLine removes line breaks from a value that is one line.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// Status writes a status, such as "OK", in one line.
func (w *Writer) Status(s string) { w.line('+', oneLine.Replace(s)) }

// Error writes an error, which starts with its code, such as "ERR syntax error", in one line.
func (w *Writer) Error(s string) { w.line('-', oneLine.Replace(s)) }

// Integer writes a number.
func (w *Writer) Integer(n int64) { w.number(':', n) }

// Array starts an array of n values. The caller writes the values next.
func (w *Writer) Array(n int) { w.number('*', int64(n)) }

// Null writes the null value.
func (w *Writer) Null() { w.null('$') }

// NullArray writes the null value instead of an array.
func (w *Writer) NullArray() { w.null('*') }

func (w *Writer) null(kind byte) {
	if w.Three {
		w.line('_', "")
	} else {
		w.line(kind, "-1")
	}
}

// Map starts a map of n pairs. RESP2 has an array of 2n values instead.
func (w *Writer) Map(n int) {
	if w.Three {
		w.number('%', int64(n))
	} else {
		w.Array(2 * n)
	}
}

// Set starts a set of n values. RESP2 has an array instead.
func (w *Writer) Set(n int) { w.either('~', n) }

// Push starts an unasked message of n values. RESP2 has an array instead.
func (w *Writer) Push(n int) { w.either('>', n) }

func (w *Writer) either(kind byte, n int) {
	if !w.Three {
		kind = '*'
	}
	w.number(kind, int64(n))
}

// Double writes a number with a fraction. RESP2 has a string instead.
func (w *Writer) Double(s string) {
	if w.Three {
		w.line(',', s)
	} else {
		w.Bulk(s)
	}
}

// Verbatim writes a text for people.
func (w *Writer) Verbatim(s string) {
	if !w.Three {
		w.Bulk(s)
		return
	}
	w.number('=', int64(len(s)+4))
	w.B = append(append(w.B, "txt:"...), s...)
	w.B = append(w.B, '\r', '\n')
}

func (w *Writer) number(kind byte, n int64) {
	var digits [20]byte
	w.line(kind, string(strconv.AppendInt(digits[:0], n, 10)))
}

// Bulk writes a string of any bytes.
func (w *Writer) Bulk(s string) {
	w.Grow(len(s) + 16)
	w.number('$', int64(len(s)))
	w.B = append(w.B, s...)
	w.B = append(w.B, '\r', '\n')
}

// Boolean writes 1 or 0.
func (w *Writer) Boolean(b bool) {
	if b {
		w.Integer(1)
	} else {
		w.Integer(0)
	}
}

// Command writes a command in the form of clients.
func (w *Writer) Command(args ...string) {
	w.Array(len(args))
	for _, a := range args {
		w.Bulk(a)
	}
}
