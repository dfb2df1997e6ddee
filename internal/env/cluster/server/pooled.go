package server

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/lockbench/lockbench/workloads"
)

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

// Kill implements Worker.
func (w *pooled) Kill() {
	_ = w.do(func(c *child) error {
		w.marred = true
		c.Kill()
		return nil
	})
}

// Pause implements Worker.
func (w *pooled) Pause() error {
	return w.do(func(c *child) error {
		w.marred = true
		return c.Pause()
	})
}

// Stopped implements Worker.
func (w *pooled) Stopped() bool {
	return w.do(func(c *child) error {
		if !c.Stopped() {
			return os.ErrInvalid
		}
		return nil
	}) == nil
}

// Resume implements Worker.
func (w *pooled) Resume() error { return w.do((*child).Resume) }

// Idle implements Idler. One that was given back has nothing to do here.
func (w *pooled) Idle() bool {
	c, _ := w.current()
	return c == nil || c.Idle()
}

// order writes an order.
func (c *child) order(o workloads.Order) error { return json.NewEncoder(c).Encode(o) }

// logTo changes the file that the worker writes its errors to. An error says that it is gone.
func (c *child) logTo(name string) error {
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	return c.order(workloads.Order{Do: workloads.DoLog, Body: name})
}
