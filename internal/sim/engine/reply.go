package engine

import (
	"errors"
	"strconv"
	"strings"
)

// reply is a reply as it grows, in RESP2.
type reply struct{ b []byte }

// roomy is the memory that most replies fit into.
const roomy = 64

func (r *reply) line(kind byte, s string) {
	if r.b == nil {
		r.b = make([]byte, 0, roomy)
	}
	r.b = append(r.b, kind)
	r.b = append(r.b, s...)
	r.b = append(r.b, '\r', '\n')
}

func (r *reply) status(s string) { r.line('+', s) }

// oneLine keeps a line break out of a reply that is one line.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

func (r *reply) err(s string)    { r.line('-', oneLine.Replace(s)) }
func (r *reply) integer(n int64) { r.number(':', n) }
func (r *reply) array(n int)     { r.number('*', int64(n)) }
func (r *reply) null()           { r.line('$', "-1") }

func (r *reply) number(kind byte, n int64) {
	var digits [20]byte
	r.line(kind, string(strconv.AppendInt(digits[:0], n, 10)))
}

func (r *reply) bulk(s string) {
	if r.b == nil {
		r.b = make([]byte, 0, max(roomy, len(s)+16))
	}
	r.number('$', int64(len(s)))
	r.b = append(r.b, s...)
	r.b = append(r.b, '\r', '\n')
}

func (r *reply) boolean(b bool) {
	if b {
		r.integer(1)
	} else {
		r.integer(0)
	}
}

// The errors that several commands have.
const (
	wrongType  = "WRONGTYPE Operation against a key holding the wrong kind of value"
	syntax     = "ERR syntax error"
	notInteger = "ERR value is not an integer or out of range"
	overflow   = "ERR increment or decrement would overflow"
)

// integer reads a number as Redis does: no sign but a minus, no leading zero, no space.
func integer(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

// ErrProtocol says that what a client sent is no command in RESP2.
var ErrProtocol = errors.New("protocol error: an array of bulk strings was expected")

// Parse takes the first command off b, as clients send it. It returns no arguments while b does not
// hold a whole one.
func Parse(b []byte) (args []string, rest []byte, err error) {
	all := string(b) // the arguments are parts of it
	n, after, ok, err := header(all, '*')
	if !ok || err != nil {
		return nil, b, err
	}
	args = make([]string, 0, min(n, len(after)))
	for range n {
		size, text, ok, err := header(after, '$')
		if err != nil || !ok || len(text) < size+2 {
			return nil, b, err
		}
		args = append(args, text[:size])
		after = text[size+2:]
	}
	if n == 0 {
		return nil, b, ErrProtocol
	}
	return args, b[len(b)-len(after):], nil
}

// header reads "*3\r\n"; ok is false while the line is not whole.
func header(s string, kind byte) (n int, rest string, ok bool, err error) {
	end := strings.IndexByte(s, '\n')
	if len(s) > 0 && s[0] != kind {
		return 0, s, false, ErrProtocol
	}
	if end < 1 {
		return 0, s, false, nil
	}
	n, err = strconv.Atoi(strings.TrimSuffix(s[1:end], "\r"))
	if err != nil || n < 0 {
		return 0, s, false, ErrProtocol
	}
	return n, s[end+1:], true, nil
}

// Show is a reply on one line, for people.
func Show(reply []byte) string {
	s, _ := show(string(reply))
	return s
}

func show(s string) (text, rest string) {
	head, rest, _ := strings.Cut(s, "\r\n")
	if head == "" {
		return "", ""
	}
	n, _ := strconv.Atoi(head[1:])
	switch {
	case head[0] == '$' && n < 0:
		return "(nil)", rest
	case head[0] == '$':
		return rest[:n], rest[n+2:]
	case head[0] == '*':
		items := make([]string, n)
		for i := range items {
			items[i], rest = show(rest)
		}
		return "[" + strings.Join(items, " ") + "]", rest
	case head[0] == '-':
		return "(error) " + head[1:], rest
	}
	return head[1:], rest
}
