package sim

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// clients are the processes of an environment that contend for locks, with the faults that strike
// them. Each fault does the same as in the environment of processes.
type clients struct {
	scheduler *scheduler
	cfg       *Config
	links     *links
	nodes     *nodes
	all       []*client
}

var (
	_ nemesis.ClientKiller    = (*Environment)(nil)
	_ nemesis.ClientPauser    = (*Environment)(nil)
	_ nemesis.ClientSuspender = (*Environment)(nil)
)

// start makes all clients with their links, and starts their workers unless Config says Bare.
func (s *clients) start() error {
	for i := range s.cfg.Clients {
		c := newClient(s, i)
		for _, sign := range []string{">", "+>"} {
			for _, n := range s.nodes.all {
				s.links.add(c.name+sign+n.name, n)
			}
		}
		s.all = append(s.all, c)
	}
	if s.cfg.Bare {
		return nil
	}
	for _, c := range s.all {
		if err := c.play(s.workerConfig(c)); err != nil {
			return err
		}
	}
	return nil
}

func (s *clients) workerConfig(c *client) workloads.Config {
	cfg := s.cfg.Worker.ForClient(c.number)
	cfg.Seed, cfg.Master = s.seed(c.number), s.nodes.all[0].name
	cfg.Nodes, cfg.Spares = s.addresses(c, ">"), s.addresses(c, "+>")
	return cfg
}

func (s *clients) seed(i int) uint64 { return s.cfg.Seed + uint64(i) + 1 }

// addresses returns a client's links to all nodes in the form of workloads.Config: independent
// masters one by one, a master and its replicas together. The name of a link is its address.
func (s *clients) addresses(c *client, sign string) (all []map[string]string) {
	for i, n := range s.nodes.all {
		if i < s.nodes.masters {
			all = append(all, make(map[string]string, 1))
		}
		all[i%s.nodes.masters][n.name] = c.name + sign + n.name
	}
	return all
}

// close ends all clients, and returns when every goroutine of them has ended.
func (s *clients) close() {
	for _, c := range s.all {
		c.end()
	}
	for _, c := range s.all {
		c.wait()
	}
}

func (s *clients) on(i int, f func(*client)) error {
	if i < 0 || i >= len(s.all) {
		return fmt.Errorf("there is no client %d", i)
	}
	f(s.all[i])
	return nil
}

// orderTime is the shortest time that an order takes to a client.
const orderTime = 10 * time.Microsecond

// OrderTime returns how long an order takes to a client, unless it follows other orders.
func OrderTime(client int) time.Duration { return orderTimeOf(clientName(client)) }

func orderTimeOf(name string) time.Duration { return orderTime + time.Duration(hash(2, name)%9973) }

// Send gives a client an order. It arrives a little later, after earlier orders.
func (s *clients) Send(client int, o workloads.Order) {
	c := s.all[client]
	at := max(s.scheduler.Now()+int64(c.orderTime), c.ordered+1)
	c.ordered = s.scheduler.queue.add(at, func() { c.order(o) })
}

// KillClient ends a client at once.
func (s *clients) KillClient(i int) error {
	return s.on(i, func(c *client) {
		s.scheduler.settle()
		c.end()
		s.scheduler.settle()
		s.scheduler.Tell(workloads.Report{Process: i, Exit: &workloads.Exit{T: s.scheduler.Now(),
			Err: "signal: killed"}})
	})
}

// PauseClient stops the goroutines of a client. Its timers go on.
func (s *clients) PauseClient(i int) error { return s.on(i, (*client).freeze) }

// ResumeClient lets a client run again.
func (s *clients) ResumeClient(i int) error {
	return s.on(i, func(c *client) {
		c.melt()
		s.scheduler.settle()
	})
}

// SuspendClient stops the goroutines of a client. Its monotonic clock stands until WakeClient.
func (s *clients) SuspendClient(i int) error { return s.PauseClient(i) }

// WakeClient lets a client run again. Its wall clock is right, and its monotonic clock is behind.
func (s *clients) WakeClient(i int) error {
	if err := s.on(i, (*client).sleptThrough); err != nil {
		return err
	}
	return s.ResumeClient(i)
}

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
