package server

import (
	"os"
	"runtime"
	"sync"
	"time"
)

// WorkerPool is a Spawner of processes of this machine that serves many runs. To start a process
// costs more than to play a client in a short run, so a worker whose client has come to its end
// plays another one: of any lock, with a new configuration. The pool never gives another run a
// worker that was paused or killed, that failed, or that keeps something of its client.
//
// The zero value is an empty pool. Close ends it. Its methods may be called by several goroutines.
type WorkerPool struct {
	mu     sync.Mutex
	idle   []*child
	closed bool
}

// reuses says whether workers can be kept: elsewhere a process cannot change where its standard
// error goes.
const reuses = runtime.GOOS == "linux"

// Spawn implements Spawner.
func (p *WorkerPool) Spawn(_ string, log *os.File) (Worker, error) {
	for c := p.take(); c != nil; c = p.take() {
		if c.logTo(log.Name()) == nil {
			return &pooled{pool: p, child: c}, nil
		}
		c.end() // it is gone
	}
	c, err := startChild(log)
	if err != nil {
		return nil, err
	}
	return &pooled{pool: p, child: c}, nil
}

// Close ends the workers that are idle and returns when they are gone. Those that still play a
// client end with it.
func (p *WorkerPool) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	var all sync.WaitGroup
	for _, c := range idle {
		all.Go(c.end)
	}
	all.Wait()
}

// take is an idle worker; nil if there is none.
func (p *WorkerPool) take() *child {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	c := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return c
}

// keep makes a worker idle, unless the pool is closed.
func (p *WorkerPool) keep(c *child) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.idle = append(p.idle, c)
	}
	return !p.closed
}

// endTimeout is how long a worker that plays no client may take to end by itself.
const endTimeout = 500 * time.Millisecond

// end ends a worker whose output is not read any more, and returns when it is gone.
func (c *child) end() {
	c.Close()
	late := time.AfterFunc(endTimeout, c.Kill)
	defer late.Stop()
	_ = c.Wait()
}
