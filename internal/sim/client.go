package sim

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// client is a client's process: its clocks, its goroutines, and its end.
type client struct {
	w       *World
	number  int
	name    string
	env     *workloads.Env
	worker  *workloads.Worker
	life    context.Context
	stop    context.CancelFunc
	dead    atomic.Bool
	running sync.WaitGroup
	orders  []workloads.Order // that came while it was stopped
	ordered int64             // when the last order arrived or will

	seen uint64 // hash of what it has done and seen, for World.Fingerprint

	spawned atomic.Int64
	mu      sync.Mutex
	dialled map[string]int // connections, by link
	thaw    chan struct{}  // closed when it runs again; nil: it runs
	frozen  int            // goroutines that wait for it
	since   int64          // when it was stopped
}

func (w *World) newClient(i int) *client {
	c := &client{w: w, number: i, name: fmt.Sprintf("c%d", i), dialled: map[string]int{}}
	c.life, c.stop = context.WithCancel(context.Background())
	c.env = workloads.NewEnv(c.life, w.cfg.Seed+uint64(i)+1, w.elapsed)
	c.env.Hook(c.spawn, c.breathe)
	for _, way := range []string{">", "+>"} {
		for _, n := range w.nodes {
			w.newLink(c.name+way+n.name, n)
		}
	}
	return c
}

// ways are the client's links to all nodes as workloads.Config wants them: independent masters one by one, a master and its
// replicas together. The name of a link is its address.
func (c *client) ways(sign string) (ways []map[string]string) {
	for i, n := range c.w.nodes {
		if i == 0 || c.w.cfg.Topology == nemesis.Independent {
			ways = append(ways, map[string]string{})
		}
		ways[len(ways)-1][n.name] = c.name + sign + n.name
	}
	return ways
}

// play starts the worker.
func (c *client) play() (err error) {
	cfg := c.w.cfg.Worker
	cfg.Process, cfg.Seed, cfg.Master = c.number, c.w.cfg.Seed+uint64(c.number)+1, c.w.nodes[0].name
	cfg.Nodes, cfg.Spares = c.ways(">"), c.ways("+>")
	if c.worker, err = workloads.NewWorker(c.life, cfg, c.env, c.dial, c.report); err != nil {
		return err
	}
	c.running.Go(func() {
		defer c.failed()
		if err := c.worker.Connect(); err != nil {
			c.report(workloads.Report{Failed: err.Error()})
			return
		}
		c.worker.Run()
	})
	return nil
}

// failed makes a panic of the worker a failure of the run.
func (c *client) failed() {
	if p := recover(); p != nil {
		c.report(workloads.Report{Failed: fmt.Sprintf("panic: %v", p)})
	}
}

// report passes on what the worker says, while it lives.
func (c *client) report(r workloads.Report) {
	if !c.dead.Load() {
		r.Process = c.number
		c.w.inbox.report(r)
	}
}

// order is the arrival of an order. A process that is stopped has it in its pipe.
func (c *client) order(o workloads.Order) {
	switch {
	case c.dead.Load() || c.worker == nil:
	case c.paused():
		c.orders = append(c.orders, o)
	default:
		c.handle(o)
	}
}

func (c *client) handle(o workloads.Order) {
	if err := c.worker.Handle(o); err != nil {
		c.report(workloads.Report{Failed: err.Error()})
	}
}

// spawn staggers the client's goroutines: each begins at a moment of its own, nanoseconds apart, so that no two of them do
// something at the same time and their order is always the same. It is called by the parent, its result by the goroutine.
func (c *client) spawn() func() {
	turn := time.Duration(c.spawned.Add(1)%997 + 1)
	return func() {
		time.Sleep(turn)
		c.breathe()
	}
}

// breathe returns at once while the process runs, and otherwise when it runs again. Whoever waited goes on in the order of coming.
func (c *client) breathe() {
	for {
		c.mu.Lock()
		thaw := c.thaw
		if thaw == nil {
			c.mu.Unlock()
			return
		}
		c.frozen++
		turn := time.Duration(c.frozen)
		c.mu.Unlock()
		select {
		case <-thaw:
			time.Sleep(turn)
		case <-c.life.Done():
			return
		}
	}
}

func (c *client) paused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.thaw != nil
}

func (c *client) freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.thaw == nil {
		c.thaw, c.frozen, c.since = make(chan struct{}), 0, c.w.Now()
	}
}

// gapLimit is from when on a process notices that it did not run, as workloads.Worker.Watch does.
const gapLimit = 20 * time.Millisecond

// melt lets the process run again. It notices that it did not.
func (c *client) melt() {
	c.mu.Lock()
	if c.thaw == nil {
		c.mu.Unlock()
		return
	}
	close(c.thaw)
	c.thaw = nil
	gap := time.Duration(c.w.Now() - c.since)
	c.mu.Unlock()
	if gap > gapLimit {
		c.report(workloads.Report{Event: &history.Event{Type: history.Gap, T: c.w.Now(), Process: c.number, Gap: history.Duration(gap)}})
	}
	orders := c.orders
	c.orders = nil
	for _, o := range orders {
		c.handle(o)
	}
}

// end kills the process: it says and does nothing more. What it had sent is on its way.
func (c *client) end() {
	c.dead.Store(true)
	c.stop()
	for _, l := range c.w.links {
		for _, k := range l.conns {
			if k.client == c {
				k.Close()
			}
		}
	}
}

// wait returns when every goroutine of the client has ended.
func (c *client) wait() {
	c.running.Wait()
	if c.worker != nil {
		c.worker.Close()
	}
	c.env.Wait()
}
