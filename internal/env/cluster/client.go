package cluster

import (
	"bufio"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/workloads"
)

// client is a worker process and the harness's end of its pipes.
type client struct {
	server.Worker
	process int
	mu      sync.Mutex // orders may come from the loop and from Close
	enc     *json.Encoder
	done    chan struct{}
	ready   chan struct{}     // closed when the client is connected, or has given up
	late    bool              // the client is not launched yet
	held    []workloads.Order // for after its launch
}

func newClient(p server.Worker, process int) *client {
	return &client{Worker: p, process: process, enc: json.NewEncoder(p), done: make(chan struct{}),
		ready: make(chan struct{})}
}

// follow passes reports on until the worker is gone, or free for another run. It reads the output
// of a killed worker to the end, and drops only a last line that the worker did not finish.
func (c *client) follow(inbox chan<- workloads.Report) {
	lines := bufio.NewScanner(c.Output())
	lines.Buffer(make([]byte, 64<<10), 16<<20)
	again, reusable := c.Worker.(server.Reusable)
	var bad error
	reset := false
	answered := sync.OnceFunc(c.answered)
	for !reset && lines.Scan() {
		if bad != nil { // it was not the last line
			inbox <- workloads.Report{Process: c.process, Failed: "wrote a line that is not a report: " +
				bad.Error()}
		}
		var r workloads.Report
		if bad = json.Unmarshal(lines.Bytes(), &r); bad == nil {
			r.Process = c.process
			inbox <- r
			if r.Ready != nil || r.Failed != "" {
				answered()
			}
		}
		reset = reusable && r.Reset
	}
	exit := workloads.Exit{Err: "exit status 0"}
	if reset {
		again.Recycle()
	} else if err := c.Wait(); err != nil {
		var by workloads.SignaledError
		if exit.Err = err.Error(); errors.As(err, &by) {
			exit.Signal = by.Signal
		}
	}
	exit.T = proc.Monotonic()
	inbox <- workloads.Report{Process: c.process, Exit: &exit}
	close(c.done)
}

// send writes one order, or keeps it until the client is launched. It ignores the error if the
// worker is gone: follow reports the exit.
func (c *client) send(o workloads.Order) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.late {
		c.held = append(c.held, o)
		return
	}
	_ = c.enc.Encode(o)
}

// launchTime is how long a launch waits for a client. A lock may wait for servers that are dead.
const launchTime = time.Second

// launch gives the client its configuration, the first of the orders that it was sent, and returns
// when the client is ready, or when it takes long.
func (c *client) launch() {
	c.mu.Lock()
	_ = c.enc.Encode(c.held[0])
	c.mu.Unlock()
	select {
	case <-c.ready:
	case <-time.After(launchTime):
	}
}

// answered tells a launch that the client is ready or has given up, and sends it the held orders.
func (c *client) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.late {
		for _, o := range c.held[1:] {
			_ = c.enc.Encode(o)
		}
		c.late, c.held = false, nil
	}
	close(c.ready)
}

// kill ends the worker and returns when its last report has been passed on.
func (c *client) kill() {
	c.Kill()
	<-c.done
}

// closeTimeout is how long a worker may take to end by itself.
const closeTimeout = 500 * time.Millisecond

// close asks the worker to end its client by closing its input, and kills it if it does not.
func (c *client) close() {
	c.mu.Lock()
	c.Close()
	c.mu.Unlock()
	_ = c.Resume()
	select {
	case <-c.done:
	case <-time.After(closeTimeout):
		c.kill()
	}
}
