package resp

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

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
