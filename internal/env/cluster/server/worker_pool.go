package server

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/lockbench/lockbench/workloads"
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

// pooled is a worker of a pool while it plays one client. It is a Reusable.
type pooled struct {
	pool *WorkerPool

	mu     sync.Mutex
	child  *child // nil: it was given back
	marred bool   // it was paused or killed
}

// do calls f with the worker, if it still plays this client. It holds the mutex meanwhile, so that
// a signal cannot hit a client of the next run.
func (w *pooled) do(f func(*child) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.child == nil {
		return os.ErrProcessDone
	}
	return f(w.child)
}

// current returns the worker, if it still plays this client, without holding the mutex. It is for
// calls that may wait.
func (w *pooled) current() (c *child, marred bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.child, w.marred
}

// Write implements Worker.
func (w *pooled) Write(b []byte) (int, error) {
	c, _ := w.current()
	if c == nil {
		return 0, io.ErrClosedPipe
	}
	return c.Write(b)
}

// Close implements Worker: the worker is to be reset, or to end if it cannot be kept.
func (w *pooled) Close() error {
	switch c, marred := w.current(); {
	case c == nil:
		return nil
	case marred || !reuses:
		return c.Close()
	default:
		return c.order(workloads.Order{Do: workloads.DoReset})
	}
}

// Output implements Worker. It must not be read further than to the report Reset.
func (w *pooled) Output() io.Reader {
	c, _ := w.current()
	return c.Output()
}

// Wait implements Worker.
func (w *pooled) Wait() error {
	c, _ := w.current()
	return c.Wait()
}

// Recycle implements Reusable.
func (w *pooled) Recycle() {
	w.mu.Lock()
	c, marred := w.child, w.marred
	w.child = nil
	w.mu.Unlock()
	if marred || !w.pool.keep(c) {
		c.end()
	}
}

// Kill, Pause, Stopped and Resume implement Worker.
func (w *pooled) Kill() {
	_ = w.do(func(c *child) error {
		w.marred = true
		c.Kill()
		return nil
	})
}

func (w *pooled) Pause() error {
	return w.do(func(c *child) error {
		w.marred = true
		return c.Pause()
	})
}

func (w *pooled) Stopped() bool {
	return w.do(func(c *child) error {
		if !c.Stopped() {
			return os.ErrInvalid
		}
		return nil
	}) == nil
}

func (w *pooled) Resume() error { return w.do((*child).Resume) }

// Idle implements Idler. One that was given back has nothing to do here.
func (w *pooled) Idle() bool {
	c, _ := w.current()
	return c == nil || c.Idle()
}

func (c *child) order(o workloads.Order) error { return json.NewEncoder(c).Encode(o) }

// logTo changes the file that the worker writes its errors to. An error says that it is gone.
func (c *child) logTo(name string) error {
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	return c.order(workloads.Order{Do: workloads.DoLog, Body: name})
}
