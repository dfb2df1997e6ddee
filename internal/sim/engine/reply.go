package engine

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// reply is a reply as it grows, in RESP2.
type reply struct{ b []byte }

func (r *reply) line(kind byte, s string) {
	r.b = append(r.b, kind)
	r.b = append(r.b, s...)
	r.b = append(r.b, '\r', '\n')
}

func (r *reply) status(s string) { r.line('+', s) }

// oneLine keeps a line break out of a reply that is one line.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

func (r *reply) err(s string)    { r.line('-', oneLine.Replace(s)) }
func (r *reply) integer(n int64) { r.line(':', strconv.FormatInt(n, 10)) }
func (r *reply) array(n int)     { r.line('*', strconv.Itoa(n)) }
func (r *reply) null()           { r.line('$', "-1") }

func (r *reply) bulk(s string) {
	r.line('$', strconv.Itoa(len(s)))
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

// Parse takes the first command off b, as clients send it. It returns no arguments while b does not hold a whole one.
func Parse(b []byte) (args []string, rest []byte, err error) {
	n, after, ok, err := header(b, '*')
	if !ok || err != nil {
		return nil, b, err
	}
	for range n {
		size, text, ok, err := header(after, '$')
		if err != nil || !ok || len(text) < size+2 {
			return nil, b, err
		}
		args = append(args, string(text[:size]))
		after = text[size+2:]
	}
	if n == 0 {
		return nil, b, ErrProtocol
	}
	return args, after, nil
}

// header reads "*3\r\n"; ok is false while the line is not whole.
func header(b []byte, kind byte) (n int, rest []byte, ok bool, err error) {
	end := bytes.IndexByte(b, '\n')
	if len(b) > 0 && b[0] != kind {
		return 0, b, false, ErrProtocol
	}
	if end < 1 {
		return 0, b, false, nil
	}
	n, err = strconv.Atoi(string(bytes.TrimSuffix(b[1:end], []byte("\r"))))
	if err != nil || n < 0 {
		return 0, b, false, ErrProtocol
	}
	return n, b[end+1:], true, nil
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
