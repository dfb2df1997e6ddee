package sim

import (
	"context"
	"net"

	"github.com/lockbench/lockbench/workloads"
)

// Client lets code other than our workers act as a client in a simulated environment. It offers a
// context, a clock, and connections to the nodes. Code that uses time, goroutines and contexts as
// usual runs unchanged. A fault can move its wall clock only if the code asks Env for the time.
type Client struct {
	Context context.Context // ends when the client is killed, or the environment
	Env     *workloads.Env
	client  *client
}

// Dial connects to a node of the environment by its name ("n0", "n0:6379"). It can serve as the
// Dialer of go-redis.
func (p Client) Dial(ctx context.Context, _, node string) (net.Conn, error) {
	if host, _, err := net.SplitHostPort(node); err == nil {
		node = host
	}
	return p.client.dial(ctx, p.client.name+">"+node)
}

// RunClient lets f be client i of an environment whose Config says Bare. It returns at once; Until
// lets f run.
func (s *clients) RunClient(i int, f func(Client)) error {
	return s.on(i, func(c *client) {
		s.scheduler.stirred = true
		c.running.Go(func() {
			defer c.failed()
			c.spawn()()
			f(Client{Context: c.life, Env: c.env, client: c})
		})
	})
}
