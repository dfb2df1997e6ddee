package workloads

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/redis/go-redis/v9"
)

// connections are a client's ways to Redis: one for each independent master.
type connections struct {
	env    *Env
	life   context.Context
	routes []*route
	redis  []redis.UniversalClient // none if a Remote has the lock
	silent bool                    // the lock asks no server
}

func (s *connections) connect() error {
	for i, c := range s.redis {
		err := ping(s.life, c)
		// a machine that is busy with starting many clients is slow, and a client's time-outs may be
		// short
		if err != nil {
			err = s.insist(c, err)
		}
		if err != nil {
			return fmt.Errorf("cannot reach %s: %w", s.routes[i].current(),
				s.routes[i].reason(s.life, err))
		}
	}
	return nil
}

// insist tries again for pingTimeout to reach a Redis.
func (s *connections) insist(c redis.UniversalClient, err error) error {
	ctx, cancel := context.WithTimeout(s.life, pingTimeout)
	defer cancel()
	for err != nil && s.env.Sleep(ctx, pingPause) == nil {
		err = ping(ctx, c)
	}
	return err
}

// ping sends a command that the trace leaves out.
func ping(ctx context.Context, c redis.UniversalClient) error {
	return c.Do(ctx, "client", "id").Err()
}

// reason returns why a Redis cannot be reached: the error that it sends unasked, or else err.
func (r *route) reason(ctx context.Context, err error) error {
	_, address := r.target()
	c, dialErr := r.dial(ctx, address)
	if dialErr != nil {
		return err
	}
	if words := resp.Unasked(c, pingTimeout/50); words != "" {
		return errors.New(words)
	}
	return err
}

// Disconnect closes the connections: everything that waits for a reply, or for a connection, fails.
// It may be called more than once.
func (s *connections) Disconnect() {
	for _, c := range s.redis {
		c.Close()
	}
}

// granted adds the node to a grant of a lock of this process.
func (s *connections) granted(g impls.Grant) Granted {
	r := Granted{Grant: g}
	if len(s.routes) == 1 && !s.silent { // several nodes granted it together otherwise
		r.Node = s.routes[0].current()
	}
	return r
}

// waiting is a connection that knows the start of each wait for a reply. go-redis sets a deadline
// before it reads the reply to a command, and none before it waits for messages.
type waiting struct {
	net.Conn
	asks  *atomic.Int64 // of all connections of a route
	since atomic.Int64  // number of the ask in progress; 0 if there is none
}

// SetReadDeadline and Read implement net.Conn.
func (c *waiting) SetReadDeadline(t time.Time) error {
	since := int64(0)
	if !t.IsZero() {
		since = c.asks.Add(1)
	}
	c.since.Store(since)
	return c.Conn.SetReadDeadline(t)
}

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
