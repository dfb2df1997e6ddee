// Package resp reads RESP2 and RESP3 and writes RESP2, the protocols of Redis, for all of
// lockbench: the simulated server, the relay of a replay, the tap before a client, and the login of
// a server that asks for one. It knows bytes, values, and the replies of each request. Connections
// and the meaning of commands belong to its users.
//
// All input may come from a stranger. The package checks each announced length against a bound
// before it allocates, and it never panics.
package resp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
)

// The bounds of redis-server.
const (
	MaxItems = 1 << 20   // of a command or an array
	MaxBulk  = 512 << 20 // bytes of a string
	maxDepth = 128       // of arrays in arrays
	maxLine  = 64 << 10  // bytes of a value that is one line
)

// ErrProtocol is the error for bytes that are not RESP, or that announce more than the bounds
// allow.
var ErrProtocol = errors.New("protocol error: the bytes are not RESP within its bounds")

// ErrTLS reports that the other end has started to speak TLS.
var ErrTLS = errors.New("the bytes are the start of TLS, not RESP")

// Command takes the first command off b, an array of bulk strings. It returns no arguments if b
// does not hold a complete command. The arguments do not share memory with b, but rest does.
func Command(b []byte) (args []string, rest []byte, err error) {
	all := string(b) // the arguments are parts of this copy
	n, after, ok, err := header(all, '*', MaxItems)
	if !ok || err != nil {
		return nil, b, err
	}
	if n == 0 {
		return nil, b, ErrProtocol
	}
	args = make([]string, 0, min(n, len(after)))
	for range n {
		size, text, ok, err := header(after, '$', MaxBulk)
		if err != nil || !ok || len(text) < size+2 {
			return nil, b, err
		}
		args = append(args, text[:size])
		after = text[size+2:]
	}
	return args, b[len(b)-len(after):], nil
}

// header reads "*3\r\n"; ok is false while the line is not whole.
func header(s string, kind byte, most int) (n int, rest string, ok bool, err error) {
	if len(s) > 0 && s[0] != kind {
		return 0, s, false, ErrProtocol
	}
	end := strings.IndexByte(s, '\n')
	if end < 1 {
		if len(s) > maxLine {
			err = ErrProtocol
		}
		return 0, s, false, err
	}
	n, err = strconv.Atoi(strings.TrimSuffix(s[1:end], "\r"))
	if err != nil || n < 0 || n > most {
		return 0, s, false, ErrProtocol
	}
	return n, s[end+1:], true, nil
}

// Reader reads values from a connection, one by one, within the bounds of this package. It is not
// safe for concurrent use.
type Reader struct {
	from  *bufio.Reader
	meter meter
}

// NewReader returns a Reader for r.
func NewReader(r io.Reader) *Reader { return &Reader{from: bufio.NewReader(r)} }

// Reply reads a complete reply or push of at most MaxReply bytes. The caller may keep it. After an
// error, the Reader is not usable.
func (r *Reader) Reply() (wire []byte, err error) {
	for {
		if _, err := r.from.Peek(1); err != nil {
			return nil, err
		}
		b, _ := r.from.Peek(r.from.Buffered())
		used, whole, err := r.meter.next(b)
		if err != nil {
			return nil, err
		}
		wire = append(wire, b[:used]...)
		_, _ = r.from.Discard(used)
		if whole {
			return wire, nil
		}
	}
}

// Command reads a command as a server does: an array of strings, or words in a line. It skips input
// that a server ignores without an answer. Wire is the original command. The caller may keep both.
func (r *Reader) Command() (args []string, wire []byte, err error) {
	for len(args) == 0 && err == nil {
		var first []byte
		if first, err = r.from.Peek(1); err != nil {
			return nil, nil, err
		}
		switch {
		case first[0] == '*':
			args, wire, err = r.array()
		case first[0] == handshake:
			return nil, nil, ErrTLS
		case first[0] < ' ' && first[0] != '\r' && first[0] != '\n':
			return nil, nil, ErrProtocol
		default:
			args, wire, err = r.inline()
		}
	}
	return args, wire, err
}

// handshake is the first byte of TLS.
const handshake = 0x16

// array reads an array of strings. An empty array does not count as a command.
func (r *Reader) array() (args []string, wire []byte, err error) {
	if wire, err = r.Reply(); err != nil {
		return nil, nil, err
	}
	if _, line, at := Line(wire); at == len(wire) { // no items
		if n, ok := length(line, 0); ok && n <= 0 {
			return nil, nil, nil
		}
	}
	args, _, err = Command(wire)
	return args, wire, err
}

// inline reads words in a line. It does not support quoted words, which only people type.
func (r *Reader) inline() (args []string, wire []byte, err error) {
	for {
		part, err := r.from.ReadSlice('\n')
		wire = append(wire, part...)
		switch {
		case len(wire) > maxLine:
			return nil, nil, ErrProtocol
		case err == nil && bytes.ContainsAny(wire, "\"'\x00"):
			return nil, nil, ErrProtocol
		case err == nil:
			return strings.Fields(string(wire)), wire, nil
		case err != bufio.ErrBufferFull:
			return nil, nil, err
		}
	}
}
