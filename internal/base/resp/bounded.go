package resp

import (
	"bufio"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// MaxReply bounds the bytes of a reply from a Bounded connection. Replies to lockbench are much
// smaller.
const MaxReply = 16 << 20

// Bounded returns a connection for a foreign server. It passes on only replies within MaxReply,
// MaxItems and the other bounds of this package. If a reply announces more, it returns ErrProtocol
// before a client allocates the memory.
func Bounded(c net.Conn) net.Conn {
	b := &bounded{Conn: c}
	if raw, ok := c.(syscall.Conn); ok { // a client checks there whether the other end has closed
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

// Read implements net.Conn.
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

// Unasked returns the error that a server sends before any command, such as "ERR max number of
// clients reached". It returns "" if none arrives within wait. A client of Redis loses these words,
// because it sends first and is cut off. Unasked closes the connection.
func Unasked(c net.Conn, wait time.Duration) string {
	defer c.Close()
	const longest = 200
	_ = c.SetReadDeadline(time.Now().Add(wait))
	line, err := bufio.NewReader(io.LimitReader(c, longest)).ReadString('\n')
	words, is := strings.CutPrefix(line, "-")
	if err != nil || !is {
		return ""
	}
	return strings.TrimSpace(words)
}
