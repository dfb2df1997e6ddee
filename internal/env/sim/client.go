package sim

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// client is a client's process: its clocks, its goroutines, and its end.
type client struct {
	scheduler *scheduler
	links     *links
	number    int
	name      string
	env       *workloads.Env
	worker    *workloads.Worker
	life      context.Context
	stop      context.CancelFunc
	dead      atomic.Bool
	running   sync.WaitGroup
	orders    []workloads.Order // arrived and not yet read
	ordered   int64             // when the last order arrived or will arrive

	orderTime time.Duration // see OrderTime

	seen uint64 // hash of its reports and of the replies to it, for Environment.Fingerprint

	spawned atomic.Int64
	mu      sync.Mutex
	dialled map[string]int // connections, by link
	open    map[*conn]bool // connections that it has not closed, or is about to make
	thaw    chan struct{}  // closed when the stopped process runs again; nil while it runs
	frozen  int            // goroutines that wait for thaw
	since   int64          // when it was stopped
}

func newClient(s *clients, i int) *client {
	c := &client{scheduler: s.scheduler, links: s.links, number: i, name: clientName(i),
		dialled: map[string]int{}, open: map[*conn]bool{}}
	c.orderTime = orderTimeOf(c.name)
	c.life, c.stop = context.WithCancel(context.Background())
	c.env = workloads.NewEnv(c.life, s.seed(i), s.scheduler.elapsed)
	c.env.Hook(c.spawn, c.breathe)
	return c
}

func clientName(i int) string { return "c" + strconv.Itoa(i) }

func (c *client) play(cfg workloads.Config) (err error) {
	if c.worker, err = workloads.NewWorker(c.life, cfg, c.env, c.dial, c.report); err != nil {
		return err
	}
	c.running.Go(func() {
		defer c.failed()
		workloads.GrowStack()
		if err := c.worker.Connect(); err != nil {
			c.report(workloads.Report{Failed: err.Error()})
			return
		}
		c.worker.Run()
	})
	return nil
}

// failed turns a panic of the worker into a failure of the run.
func (c *client) failed() {
	if p := recover(); p != nil {
		c.report(workloads.Report{Failed: fmt.Sprintf("panic: %v", p)})
	}
}

// report passes on a report of the worker, unless the process is dead.
func (c *client) report(r workloads.Report) {
	if !c.dead.Load() {
		r.Process = c.number
		c.scheduler.inbox.report(r)
	}
}

func (c *client) order(o workloads.Order) {
	c.orders = append(c.orders, o)
	if len(c.orders) == 1 {
		c.read()
	}
}

// orderAgain is the time until the client looks again at an order that must wait.
const orderAgain = 50 * time.Microsecond

// read takes the orders that have arrived. While the process is stopped, they stay in its pipe. A
// DoStop also waits until no connection is being made. It makes locks close their subscriptions,
// and go-redis holds a subscription's mutex while it connects. The bubble does not count a
// goroutine that waits for a mutex as blocked, so it would wait for ever.
func (c *client) read() {
	for len(c.orders) > 0 && !c.paused() {
		o := c.orders[0]
		if o.Do == workloads.DoStop && c.connecting() && !c.dead.Load() {
			c.scheduler.schedule(orderAgain, c.read)
			return
		}
		c.orders = slices.Delete(c.orders, 0, 1)
		if !c.dead.Load() && c.worker != nil {
			c.scheduler.stirred = true
			c.handle(o)
		}
	}
}

// connecting reports whether a connection is being made or has not answered yet.
func (c *client) connecting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.open {
		if !k.heard.Load() {
			return true
		}
	}
	return false
}

func (c *client) handle(o workloads.Order) {
	var err error
	carryOut := func() { err = c.worker.Handle(o) }
	switch o.Do {
	case workloads.DoRedirect, workloads.DoGiveUp:
		c.scheduler.endTogether(carryOut)
	default:
		carryOut()
	}
	if err != nil {
		c.report(workloads.Report{Failed: err.Error()})
	}
}

// spawn staggers the client's goroutines. Each starts at a moment of its own, nanoseconds apart, so
// that no two of them act at the same time and their order is always the same. The parent calls
// spawn, and the new goroutine calls its result.
func (c *client) spawn() func() {
	turn := time.Duration(c.spawned.Add(1)%997 + 1)
	return func() {
		time.Sleep(turn)
		c.breathe()
	}
}

// breathe returns at once while the process runs. In a stopped process it waits until the process
// runs again. Goroutines that waited go on in their order of arrival.
func (c *client) breathe() {
	c.scheduler.awaitEnds()
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
		c.thaw, c.frozen, c.since = make(chan struct{}), 0, c.scheduler.Now()
	}
}

// gapLimit is the shortest stop that a process notices, as in workloads.Worker.Watch.
const gapLimit = 20 * time.Millisecond

// melt lets the process run again. The process reports the gap if it was longer than gapLimit.
func (c *client) melt() {
	c.mu.Lock()
	if c.thaw == nil {
		c.mu.Unlock()
		return
	}
	close(c.thaw)
	c.thaw, c.scheduler.stirred = nil, true
	gap := time.Duration(c.scheduler.Now() - c.since)
	c.mu.Unlock()
	if gap > gapLimit {
		c.report(workloads.Report{Event: &history.Event{Type: history.Gap, T: c.scheduler.Now(),
			Process: c.number, Gap: history.Duration(gap)}})
	}
	c.read()
}

// sleptThrough sets the monotonic clock of a stopped process back by the time that it was stopped.
// The deadlines of its reads, which follow that clock, move with it.
func (c *client) sleptThrough() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.thaw == nil {
		return
	}
	stood := time.Duration(c.scheduler.Now() - c.since)
	c.env.Stand(stood)
	for k := range c.open {
		k.postpone(stood)
	}
}

// end kills the process. It reports and does nothing more, but messages that it sent still arrive.
func (c *client) end() {
	c.dead.Store(true)
	c.scheduler.stirred = true
	c.mu.Lock()
	open := slices.SortedFunc(maps.Keys(c.open), func(a, b *conn) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.number, b.number))
	})
	c.mu.Unlock()
	for _, k := range open {
		k.Close()
	}
	c.stop()
}

// wait returns when every goroutine of the client has ended.
func (c *client) wait() {
	c.running.Wait()
	if c.worker != nil {
		c.worker.Close()
	}
	c.env.Wait()
}
