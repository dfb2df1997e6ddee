package sim

import (
	"context"
	"net"
	"time"

	"github.com/lockbench/lockbench/workloads"
)

// Client lets other code than our workers be a client in a simulated environment: with a context, a
// clock, and connections to the nodes. Code that uses time, goroutines and contexts as
// usual runs unchanged; its wall clock cannot be skewed unless it asks Env.
type Client struct {
	Context context.Context // ends when the client is killed, or the environment
	Env     *workloads.Env
	client  *client
}

// Dial is a go-redis Dialer to a node of the environment: its address is the node's name ("n0",
// "n0:6379").
func (p Client) Dial(ctx context.Context, _, node string) (net.Conn, error) {
	if host, _, err := net.SplitHostPort(node); err == nil {
		node = host
	}
	return p.client.dial(ctx, p.client.name+">"+node)
}

// RunClient lets f be client i of an environment whose Config says Bare. It returns at once; Until
// lets f run.
func (w *Environment) RunClient(i int, f func(Client)) error {
	c, err := w.findClient(i)
	if err != nil {
		return err
	}
	w.stirred = true
	c.running.Go(func() {
		defer c.failed()
		c.spawn()()
		f(Client{Context: c.life, Env: c.env, client: c})
	})
	return nil
}

// Until runs the environment until done, for at most d of virtual time, and reports whether it was
// done. Done is called while all clients are blocked.
func (w *Environment) Until(d time.Duration, done func() bool) bool { return w.pump(d, done) }
