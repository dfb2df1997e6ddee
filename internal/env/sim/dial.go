package sim

import (
	"context"
	"net"
	"os"
	"syscall"
	"time"
)

// connection returns a connection that dial is about to make.
func (c *client) connection(link string) *conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialled[link]++
	k := &conn{client: c, to: link, number: c.dialled[link], ready: make(chan struct{}, 1)}
	c.open[k] = true
	return k
}

// closed forgets a connection.
func (c *client) closed(k *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, k)
}

// dialTime is how long it takes to connect. It is short, as with a proxy on the client's machine.
const dialTime = 20 * time.Microsecond

func (c *client) dial(ctx context.Context, name string) (net.Conn, error) {
	c.breathe()
	if c.dead.Load() {
		return nil, refusal(name)
	}
	k := c.connection(name)
	done := make(chan error, 1)
	c.scheduler.inbox.post(call{process: c.number, link: name, conn: k.number, do: func() {
		c.scheduler.queue.add(c.scheduler.Now()+int64(dialTime)+int64(hash(1, name)%997), func() {
			c.scheduler.stirred = true
			done <- c.links.accept(k, name)
		})
	}})
	select {
	case err := <-done:
		if err != nil {
			c.closed(k)
			return nil, err
		}
	case <-ctx.Done():
	case <-c.life.Done():
	}
	c.breathe()
	if ctx.Err() != nil || c.dead.Load() {
		c.closed(k)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: address(name),
			Err: context.DeadlineExceeded}
	}
	return k, nil
}

func refusal(name string) error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: address(name), Err: os.NewSyscallError("connect",
		syscall.ECONNREFUSED)}
}
