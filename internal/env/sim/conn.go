package sim

import (
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
)

// conn is a connection from a client to a node. The fields above the mutex belong to the scheduler.
type conn struct {
	client  *client
	link    *link
	node    *node
	to      string          // the link's name
	number  int             // among the client's connections over that link
	session *engine.Session // nil after the node has closed it
	request []byte          // bytes at the node that do not form a whole command yet
	upTo    uint64          // the node's offset after the connection's last command
	waiting *waiting        // for replicas
	broken  bool            // closed on the way: messages under way do not arrive
	upLast  int64           // when the last message to the node arrived or will arrive
	dnLast  int64           // the same for messages to the client

	heard atomic.Bool // the client has read something
	// deadline of the waiting reader, ns since 1970, or 0 without one; gone after Close
	due atomic.Int64

	mu     sync.Mutex
	inbox  []byte        // arrived and not yet read
	over   error         // set after the other end has closed; Read returns it after the inbox
	closed bool          // by the client
	readBy int64         // deadline of reads, ns since 1970, or 0 without one
	seq    int           // number of the client's latest call
	hungry bool          // the reader waits for ready
	listed bool          // it is in scheduler.readers; only the reader uses this field
	ready  chan struct{} // something to read, or a new deadline
}

var errEOF = io.EOF

var _ net.Conn = (*conn)(nil)

// Read returns bytes that have arrived, or waits for some. In a stopped process it waits until the
// process runs again.
func (c *conn) Read(p []byte) (int, error) {
	for {
		c.client.breathe()
		n, by, err := c.take(p)
		if n > 0 || err != nil {
			return n, err
		}
		if by != 0 {
			if time.Now().UnixNano() >= by {
				return 0, c.failed("read", os.ErrDeadlineExceeded)
			}
			c.client.scheduler.awaitReader(c, by)
		}
		<-c.ready
	}
}

func (c *conn) take(p []byte) (n int, readBy int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return 0, c.readBy, c.failed("read", net.ErrClosed)
	case len(c.inbox) > 0:
		n = copy(p, c.inbox)
		c.inbox = c.inbox[n:]
		c.heard.Store(true)
	case c.over == io.EOF:
		err = io.EOF
	case c.over != nil:
		err = c.failed("read", c.over)
	}
	if c.hungry = n == 0 && err == nil; c.hungry {
		c.due.Store(c.readBy)
	}
	return n, c.readBy, err
}

func (c *conn) failed(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Source: address(c.client.name), Addr: address(c.to),
		Err: err}
}

// Write hands the bytes to the network.
func (c *conn) Write(b []byte) (int, error) {
	c.client.breathe()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.client.dead.Load() {
		return 0, c.failed("write", net.ErrClosed)
	}
	if c.over != nil && c.over != io.EOF {
		return 0, c.failed("write", c.over)
	}
	if !c.client.links.greet(c, b) {
		c.post(call{from: c, data: slices.Clone(b)})
	}
	return len(b), nil
}

// post hands the client's call to the scheduler. The caller holds the mutex.
func (c *conn) post(x call) {
	c.seq++
	x.process, x.link, x.conn, x.seq = c.client.number, c.to, c.number, c.seq
	c.client.scheduler.inbox.post(x)
}

// Close ends the connection. Bytes that were sent before still arrive.
func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.failed("close", net.ErrClosed)
	}
	c.closed = true
	c.signal()
	c.due.Store(gone)
	c.post(call{do: c.bye})
	c.client.closed(c)
	return nil
}

// signal wakes the reader, if it waits. The caller holds the mutex.
func (c *conn) signal() {
	if !c.hungry {
		return
	}
	c.hungry = false
	c.due.Store(0)
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// transmit sends the bytes that the client wrote.
func (c *conn) transmit(data []byte) {
	if c.broken {
		return
	}
	c.link.send(&c.link.up, &c.upLast, cargo{conn: c, up: true, data: data})
}

// reach gives the node the bytes that the client wrote.
func (c *conn) reach(data []byte) {
	if c.link.reset {
		c.broken = true
		c.node.end(c)
		c.finish(syscall.ECONNRESET)
	} else {
		c.node.receive(c, data)
	}
}

// bye tells the node that the client has closed.
func (c *conn) bye() {
	if c.link == nil { // the connection was never made
		return
	}
	c.link.notice(&c.link.up, &c.upLast, func() { c.node.end(c) })
}

// answer sends the replies of the node.
func (c *conn) answer(data []byte) {
	if c.broken || len(data) == 0 {
		return
	}
	// several connections may get the same bytes
	c.link.send(&c.link.down, &c.dnLast, cargo{conn: c, data: slices.Clip(data)})
}

// deliver gives the client the replies of the node. The connection keeps data.
func (c *conn) deliver(data []byte) {
	c.client.scheduler.stirred = true
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over == nil {
		if len(c.inbox) > 0 {
			data = append(c.inbox, data...)
		}
		c.inbox = data
		c.signal()
	}
}

// finish makes the client see the end of the connection.
func (c *conn) finish(err error) {
	c.client.scheduler.stirred = true
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over == nil {
		c.over = err
		c.signal()
	}
}

// LocalAddr names the client.
func (c *conn) LocalAddr() net.Addr { return address(c.client.name) }

// RemoteAddr names the link.
func (c *conn) RemoteAddr() net.Addr { return address(c.to) }

// SetDeadline is SetReadDeadline: a write never waits.
func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetWriteDeadline does nothing: a write never waits.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

// SetReadDeadline sets the deadline of later reads and of one that is waiting.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readBy = 0
	if !t.IsZero() {
		c.readBy = t.UnixNano()
	}
	c.signal()
	return nil
}

// postpone moves the deadline of reads.
func (c *conn) postpone(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.readBy == 0 {
		return
	}
	c.readBy += int64(d)
	if due := c.due.Load(); due > 0 {
		c.due.Store(due + int64(d))
	}
}

// address is a net.Addr.
type address string

// Network is "tcp".
func (address) Network() string { return "tcp" }

// String is the name.
func (a address) String() string { return string(a) }

// SyscallConn lets go-redis check before it reuses a connection whether the other end has closed
// it. It does so with real connections as well.
func (c *conn) SyscallConn() (syscall.RawConn, error) { return peek{c}, nil }

// peek answers the question of SyscallConn.
type peek struct{ c *conn }

// Read returns an error if the connection cannot be used. It has no descriptor to call f with.
func (p peek) Read(func(fd uintptr) bool) error {
	p.c.client.scheduler.awaitEnds()
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	switch {
	case p.c.closed:
		return net.ErrClosed
	case len(p.c.inbox) > 0:
		return errors.New("unexpected data")
	}
	return p.c.over
}

// Write is not supported.
func (p peek) Write(func(fd uintptr) bool) error { return errors.ErrUnsupported }

// Control is not supported.
func (p peek) Control(func(fd uintptr)) error { return errors.ErrUnsupported }
