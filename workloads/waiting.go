package workloads

import (
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// waiting is a connection that knows the start of each wait for a reply. go-redis sets a deadline
// before it reads the reply to a command, and none before it waits for messages.
type waiting struct {
	net.Conn
	asks  *atomic.Int64 // of all connections of a route
	since atomic.Int64  // number of the ask in progress; 0 if there is none
}

// SetReadDeadline implements net.Conn.
func (c *waiting) SetReadDeadline(t time.Time) error {
	since := int64(0)
	if !t.IsZero() {
		since = c.asks.Add(1)
	}
	c.since.Store(since)
	return c.Conn.SetReadDeadline(t)
}

// Read implements net.Conn.
func (c *waiting) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.since.Store(0)
	return n, err
}

// forClient returns the connection for go-redis, which checks there whether the other end has
// closed.
func (c *waiting) forClient() net.Conn {
	if raw, ok := c.Conn.(syscall.Conn); ok {
		return struct {
			*waiting
			syscall.Conn
		}{c, raw}
	}
	return c
}

// giveUp ends the longest wait for a reply, as a client's time-out does.
func (r *route) giveUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var longest *waiting
	for _, c := range r.open {
		if s := c.since.Load(); s > 0 && (longest == nil || s < longest.since.Load()) {
			longest = c
		}
	}
	if longest != nil { // else the reply has come
		_ = longest.Conn.SetReadDeadline(time.Now()) // fails if the connection has ended
	}
}

// giveUp ends a wait for a reply of the node.
func giveUp(routes []*route, node string) error {
	for _, r := range routes {
		if _, ok := r.nodes[node]; ok {
			r.giveUp()
			return nil
		}
	}
	return fmt.Errorf("no node %q to be waited for", node)
}
