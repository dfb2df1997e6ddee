package workloads

import (
	"context"
	"slices"
	"sync"
)

// pool runs jobs in goroutines, and keeps these for later jobs. A lock that fans out starts
// thousands of jobs. The stack of a new goroutine grows, by copying, when it calls the Redis
// client. That was a seventh of a simulated run of Redlock.
type pool struct {
	life context.Context // every job's context ends with it
	jobs sync.WaitGroup

	mu      sync.Mutex
	idle    []chan *job // of goroutines without a job
	running []*job
	watched bool // the pool already watches the end of life
	dead    bool // life has ended
	over    bool // no goroutine is kept for later jobs
}

// job is the work of one goroutine.
type job struct {
	ctx    context.Context
	cancel context.CancelFunc
	begin  func() // before anything else; may be nil
	f      func(context.Context)
	done   chan struct{}
}

// start runs a job in a goroutine of the pool.
func (c *pool) start(j *job) {
	c.jobs.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.watched {
		c.watched = true
		context.AfterFunc(c.life, c.end)
	}
	if c.dead {
		j.cancel()
	}
	c.running = append(c.running, j)
	if n := len(c.idle); n > 0 {
		c.idle[n-1] <- j
		c.idle = c.idle[:n-1]
	} else {
		go c.serve(j)
	}
}

// serve is a goroutine of the pool. It runs jobs as long as it gets any.
func (c *pool) serve(j *job) {
	GrowStack()
	mine := make(chan *job, 1)
	for ok := true; ok; j, ok = c.next(mine) {
		c.run(j)
	}
}

func (c *pool) run(j *job) {
	defer c.jobs.Done()
	defer close(j.done)
	defer c.ended(j)
	if j.begin != nil {
		j.begin()
	}
	j.f(j.ctx)
}

func (c *pool) ended(j *job) {
	j.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.running, j)
	c.running = slices.Delete(c.running, i, i+1)
}

// next waits for the next job of the goroutine with the channel mine.
func (c *pool) next(mine chan *job) (*job, bool) {
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return nil, false
	}
	c.idle = append(c.idle, mine)
	c.mu.Unlock()
	j, ok := <-mine
	return j, ok
}

// end ends the pool with its client's life.
func (c *pool) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = true
	for _, j := range c.running {
		j.cancel()
	}
}

// wait returns when every job has ended. It also ends the idle goroutines.
func (c *pool) wait() {
	c.jobs.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for _, mine := range c.idle {
		close(mine)
	}
	c.idle = nil
}

// stackSize is the stack that a call of the Redis client needs.
const stackSize = 8 << 10

// GrowStack grows the stack of a goroutine in one step before the goroutine uses the Redis client.
// This is cheaper than several steps there.
//
//go:noinline
func GrowStack() {
	var room [stackSize]byte
	keep(&room)
}

//go:noinline
func keep(*[stackSize]byte) {}
