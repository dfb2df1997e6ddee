// Package resp reads RESP2 and RESP3 and writes RESP2, the protocols of Redis, for all of
// lockbench: the simulated server, the relay of a replay, the tap before a client, and the login of
// a server that asks for one. It knows bytes, values, and the replies of each request. Connections
// and the meaning of commands belong to its users.
//
// All input may come from a stranger. The package checks each announced length against a bound
// before it allocates, and it never panics.
package resp

import (
	"errors"
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
