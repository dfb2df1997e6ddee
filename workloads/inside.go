package workloads

import "github.com/lockbench/lockbench/impls"

// The workloads: what a client does while it is inside.
const (
	Mutex = "mutex" // hold the lock for a while
)

// Names lists the workloads.
func Names() []string { return []string{Mutex} }

// inside is the critical section. It runs in the client's own process, so that a fault that hits the process hits it too.
func (w *Worker) inside(o Order, _ impls.Grant) {
	_ = w.env.Sleep(w.life, o.Hold.D())
}
