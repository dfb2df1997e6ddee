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
	session *engine.Session // nil: the node does not have it any more
	request []byte          // what has arrived and is no whole command yet
	upTo    uint64          // the node's offset after the connection's last command
	waiting *waiting        // for replicas
	broken  bool            // closed in between: nothing that was under way arrives
	upLast  int64           // when the last message to the node arrived or will
	dnLast  int64           // and to the client

	heard atomic.Bool // the client has read something
	// when the reader's patience ends, ns since 1970; 0: no reader waits, or it waits for ever
	due atomic.Int64

	mu     sync.Mutex
	inbox  []byte        // arrived and not yet read
	over   error         // what a read returns when inbox is empty: the other end is closed
	closed bool          // by the client
	readBy int64         // ns since 1970; 0: no deadline
	seq    int           // numbers what the client does
	hungry bool          // the reader waits for ready
	listed bool          // among the environment's readers; the reader's own
	ready  chan struct{} // something to read, or a new deadline
}

var errEOF = io.EOF

var _ net.Conn = (*conn)(nil)

// Read returns what has arrived. Nothing arrives in a process that is stopped.
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

// post tells the scheduler what the client did. The mutex is held.
func (c *conn) post(x call) {
	c.seq++
	x.process, x.link, x.conn, x.seq = c.client.number, c.to, c.number, c.seq
	c.client.scheduler.inbox.post(x)
}

// Close ends the connection. What was sent before still arrives.
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

// signal wakes the reader, if it waits. The mutex is held.
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

// transmit sends what the client wrote.
func (c *conn) transmit(data []byte) {
	if c.broken {
		return
	}
	c.link.send(&c.link.up, &c.upLast, cargo{conn: c, up: true, data: data})
}

// reach is the arrival of what the client wrote.
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
	if c.link == nil { // it was never made
		return
	}
	c.link.notice(&c.link.up, &c.upLast, func() { c.node.end(c) })
}

// answer sends what the node replied.
func (c *conn) answer(data []byte) {
	if c.broken || len(data) == 0 {
		return
	}
	// several connections may get the same bytes
	c.link.send(&c.link.down, &c.dnLast, cargo{conn: c, data: slices.Clip(data)})
}

// deliver is the arrival of what the node answered. The connection keeps data.
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

// SetReadDeadline bounds reads, also one that is under way.
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

// address is a net.Addr.
type address string

// Network is "tcp".
func (address) Network() string { return "tcp" }

// String is the name.
func (a address) String() string { return string(a) }

// SyscallConn lets go-redis look, before it uses a connection again, whether the other end has
// closed it, as it does with real ones.
func (c *conn) SyscallConn() (syscall.RawConn, error) { return peek{c}, nil }

// peek answers that one question.
type peek struct{ c *conn }

// Read returns an error if the connection cannot be used. It has no descriptor to call f with.
func (p peek) Read(func(fd uintptr) bool) error {
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
