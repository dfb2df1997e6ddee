package resp

import (
	"bytes"
	"net"
	"syscall"
)

// MaxReply is how many bytes a reply from a Bounded connection may have: nothing that lockbench
// asks for comes near.
const MaxReply = 16 << 20

// Bounded is a connection whose other end may be a stranger. What is read from it are replies
// within MaxReply, MaxItems and the other bounds of this package; with the first bytes that
// announce more it fails with ErrProtocol, before a client makes anything of that size.
func Bounded(c net.Conn) net.Conn {
	b := &bounded{Conn: c}
	if raw, ok := c.(syscall.Conn); ok { // a client looks there whether the other end has closed
		return struct {
			*bounded
			syscall.Conn
		}{b, raw}
	}
	return b
}

type bounded struct {
	net.Conn
	replies meter
	err     error
}

// Read is net.Conn.
func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.Conn.Read(p)
	if b.err = b.replies.take(p[:n]); b.err != nil {
		return 0, b.err
	}
	return n, err
}

// meter follows replies that come in pieces, and keeps nothing of them but a line under way.
type meter struct {
	line   []byte // that is not whole yet
	text   int    // bytes of a string that are still to come, with its end
	arrays []int  // items that are still to come, of each array under way
	items  int    // of this reply
	size   int    // bytes of this reply
}

// take reads on. After an error the rest means nothing.
func (m *meter) take(b []byte) error {
	for len(b) > 0 {
		n := min(m.text, len(b))
		if m.text == 0 {
			n = bytes.IndexByte(b, '\n') + 1
			if n == 0 {
				n = len(b)
			}
		}
		part := b[:n]
		b, m.size = b[n:], m.size+n
		if err := m.part(part); err != nil {
			return err
		}
	}
	return nil
}

// part reads some of a string, or some of a line to its end at most.
func (m *meter) part(b []byte) error {
	if m.text > 0 {
		if m.text -= len(b); m.text == 0 {
			m.ended()
		}
		return nil
	}
	m.line = append(m.line, b...)
	if len(m.line) > maxLine {
		return ErrProtocol
	}
	if b[len(b)-1] != '\n' {
		return nil
	}
	kind, text := m.line[0], bytes.TrimRight(m.line[1:], "\r\n")
	m.line = m.line[:0]
	return m.begin(kind, text)
}

// begin reads the first line of a value, also of RESP3: go-redis asks sentinels for it.
func (m *meter) begin(kind byte, text []byte) error {
	switch kind {
	case '+', '-', ':', '_', '#', ',', '(':
		m.ended()
	case '$', '!', '=':
		n, ok := length(text, MaxReply-min(m.size, MaxReply))
		if !ok {
			return ErrProtocol
		}
		if m.text = n + len("\r\n"); n < 0 {
			m.text = 0
			m.ended()
		}
	case '*', '~', '>', '%', '|':
		n, ok := length(text, MaxItems-m.items)
		switch kind {
		case '%': // names and values
			n *= 2
		case '|': // and what they are about
			n = 2*n + 1
		}
		if !ok || m.items+n > MaxItems || len(m.arrays) == maxDepth || m.size > MaxReply {
			return ErrProtocol
		}
		if n <= 0 {
			m.ended()
			return nil
		}
		m.items, m.arrays = m.items+n, append(m.arrays, n)
	default:
		return ErrProtocol
	}
	return nil
}

// ended counts a whole value, and the arrays that end with it.
func (m *meter) ended() {
	for last := len(m.arrays) - 1; last >= 0; last-- {
		if m.arrays[last]--; m.arrays[last] > 0 {
			return
		}
		m.arrays = m.arrays[:last]
	}
	m.items, m.size = 0, 0
}
