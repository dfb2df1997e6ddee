package workloads

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
)

// Worker plays one client: it takes orders and reports events. Handle may be called while a cycle
// runs.
type Worker struct {
	cfg Config
	env *Env
	*lifetime
	*commands
	*connections
	locks   *locks
	guarded *guarded
	remote  Remote // has the locks in a process of its own, or nil
	cycles  chan *Order
}

// NewWorker builds the client that cfg describes. It calls out for each report, never concurrently.
// The worker ends with life.
func NewWorker(life context.Context, cfg Config, env *Env, dial Dial, out func(Report)) (*Worker,
	error) {
	if to, ok := links.Load(cfg.Impl); ok {
		return newLinked(life, cfg, env, dial, to.(Linkage), out), nil
	}
	entry, err := impls.Find(cfg.Impl)
	if err != nil {
		return nil, err
	}
	w := newWorker(life, cfg, env, out)
	w.connections.silent = len(entry.Sends) == 0
	w.locks.entry = entry
	w.routes = w.routesTo(dial)
	for _, r := range w.routes {
		w.redis = append(w.redis, newRedis(r, cfg, tracer{commands: w.commands, r: r,
			retries: cfg.retries() > 0}))
	}
	for i := range cfg.Keys { // now, so that a bad configuration shows before the first cycle
		if _, err := w.locks.find(Order{Key: i}); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// newWorker connects the parts of a client that has no lock yet.
func newWorker(life context.Context, cfg Config, env *Env, out func(Report)) *Worker {
	r := &reporter{out: out, env: env, process: cfg.Process}
	w := &Worker{cfg: cfg, env: env, lifetime: newLifetime(life), cycles: make(chan *Order, 1)}
	w.commands = &commands{reporter: r, debugger: &debugger{reporter: r, life: life,
		breakpoints: breakpoints{life: life}}}
	w.connections = &connections{env: env, life: life}
	w.guarded = &guarded{reporter: r, life: life, answer: make(chan *Order, 1)}
	w.locks = &locks{cfg: cfg, env: env, connections: w.connections, notify: w.notice,
		all: map[string]RemoteLock{}}
	return w
}

// routesTo makes the client's ways: one to each independent Redis.
func (w *Worker) routesTo(dial Dial) (all []*route) {
	for i, nodes := range w.cfg.Nodes {
		var spares map[string]string
		if i < len(w.cfg.Spares) {
			spares = w.cfg.Spares[i]
		}
		r := newRoute(dial, nodes, spares, w.cfg.Master)
		r.begin = w.connecting
		all = append(all, r)
	}
	return all
}

// setRemote gives the locks to a Remote. The worker has to learn the meaning of its commands.
func (w *Worker) setRemote(r Remote) {
	w.remote, w.locks.remote, w.guarded.remote = r, r, r
	w.meanings.learn()
}

// Connect opens a connection to each Redis, so that the first cycle does not pay for it, and
// reports ready.
func (w *Worker) Connect() error {
	if l, ok := w.remote.(*linked); ok {
		if err := l.connect(); err != nil {
			return fmt.Errorf("client %d: %w", w.cfg.Process, err)
		}
		if l.Program {
			w.renumber()
		}
	}
	if err := w.connect(); err != nil {
		return fmt.Errorf("client %d %w", w.cfg.Process, err)
	}
	w.report(Report{Ready: &Ready{PID: os.Getpid(), T: int64(w.env.Stamp())}})
	return nil
}

// Close ends what the worker started: its lock's goroutines and its connections.
func (w *Worker) Close() {
	w.stopWaiting()
	w.env.Wait()
	if l, ok := w.remote.(*linked); ok {
		l.close()
	}
	w.Disconnect()
}

// Handle carries out an order at once, but leaves a cycle to Run.
func (w *Worker) Handle(o Order) error {
	switch o.Do {
	case DoCycle:
		w.cycles <- &o
	case DoArm:
		return w.arm(*o.Breakpoint, w.remote != nil)
	case DoGo:
		w.breakpoints.open(o.Breakpoint.ID, o.Breakpoint.Stop)
	case DoRedirect:
		return w.redirect(o.Node)
	case DoClock:
		if w.remote != nil {
			return w.remote.SetClock(o.Offset.D(), o.Rate)
		}
		w.env.Skew(o.Offset.D(), o.Rate)
	case DoMessage:
		if w.remote != nil {
			return w.remote.FaultNext(o.Body)
		}
		w.fault.Store(&o.Body)
	case DoCancel:
		w.cancelCall()
	case DoHurry:
		w.env.Hurry(o.Offset.D())
	case DoGiveUp:
		return giveUp(w.routes, o.Node)
	case DoAnswer:
		w.guarded.answer <- &o
	case DoLeave:
		w.exit()
	case DoStop:
		w.stopWaiting()
		if o.Leave {
			w.stopHolding()
		}
	default:
		return fmt.Errorf("unknown order %q", o.Do)
	}
	return nil
}

func (w *Worker) redirect(node string) error {
	if w.remote != nil {
		return w.remote.Redirect(node)
	}
	return redirect(w.routes, node)
}

// Run carries out the ordered cycles until life ends or the process of a Remote is gone.
func (w *Worker) Run() {
	for {
		select {
		case <-w.lifetime.life.Done():
			return
		case o := <-w.cycles:
			w.hold.Store(o)
			err := w.cycle(*o)
			if errors.Is(err, ErrGone) { // the end of the process is reported, and no cycle follows
				return
			}
			w.report(Report{Done: &Done{N: o.N, Err: text(err)}})
		}
	}
}

// notice records a notice of a watchdog for the hold in progress. In a nested cycle it belongs to
// the outermost hold, because a client has one cycle at a time.
func (w *Worker) notice(n impls.Notice) {
	o := w.hold.Load()
	if o == nil {
		return
	}
	e := newEvent(history.Lost, "", *o)
	e.Err = text(n.Lost)
	if n.Extended != nil {
		e.Type, e.Grant = history.Extend, w.stamped(w.granted(*n.Extended)).record()
	}
	w.event(e)
	if n.Extended == nil {
		w.endHold(o.N)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// gapLimit bounds the delay of a timer. A longer delay is a scheduling gap.
const gapLimit = 20 * time.Millisecond

// tick returns the interval of a client's checks whether it ran. Only a stall of a good part of a
// lease matters, and each check wakes the process up.
func tick(lease time.Duration) time.Duration {
	return min(max(lease/25, 10*time.Millisecond), 40*time.Millisecond)
}

// Watch reports each time when the process did not run for longer than gapLimit and a tick. It
// returns when life ends.
func (w *Worker) Watch() {
	tick := tick(w.cfg.TTL.D())
	last := w.env.Stamp()
	for w.env.sleep(w.lifetime.life, tick) == nil {
		now := w.env.Stamp()
		if late := now - last - tick; late > gapLimit {
			w.event(history.Event{Type: history.Gap, Gap: history.Duration(late)})
		}
		last = now
	}
}
