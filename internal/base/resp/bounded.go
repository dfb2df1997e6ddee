package resp

import (
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

// CloseWrite closes the writing side, as net.TCPConn does.
func (b *bounded) CloseWrite() error {
	if half, ok := b.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return b.Close()
}
