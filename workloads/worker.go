package workloads

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Worker plays one client: it takes orders and reports what happened. Handle may be called while a
// cycle runs.
type Worker struct {
	cfg         Config
	env         *Env
	out         func(Report)
	routes      []*route
	redis       []redis.UniversalClient
	entry       impls.Entry
	remote      Remote            // has the lock in a process of its own; nil: this one has it
	locks       map[string]caller // by the numbers of their keys
	breakpoints breakpoints
	meanings    meanings

	// orders own stamps with their reports, so that they come in the order of time
	mu  sync.Mutex
	seq int // of the last command

	n      atomic.Int64          // acquisition that the process is busy with
	hold   atomic.Pointer[Order] // the cycle that it is in
	unsure atomic.Bool           // a command of this call had an unknown outcome

	befalls atomic.Pointer[string] // what happens to the next command; nil: nothing
	opening atomic.Bool            // no command of this acquire has been sent

	life   context.Context
	stop   context.Context // ends when no more waiting is wanted; holds run to their end
	halt   context.CancelFunc
	stay   context.Context // ends when holds are to end, too
	leave  context.CancelFunc
	depart atomic.Pointer[context.CancelFunc] // ends the hold that it is in, or was in last
	heed   atomic.Pointer[heeding]            // nil: it does not listen to what the lock says
	cycles chan *Order
	answer chan *Order
}

// NewWorker builds the client that cfg describes. Out is called for each report, never
// concurrently. The worker ends with life.
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
	w.entry = entry
	for i, nodes := range cfg.Nodes {
		var spares map[string]string
		if i < len(cfg.Spares) {
			spares = cfg.Spares[i]
		}
		r := newRoute(dial, nodes, spares, cfg.Master)
		r.begin = func() { w.pass(PhaseConnect, Order{N: w.current()}) }
		w.routes = append(w.routes, r)
		w.redis = append(w.redis, newRedis(r, cfg, tracer{w: w, r: r}))
	}
	for i := range cfg.Keys { // now, so that a bad configuration shows before the first cycle
		if _, err := w.lock(Order{Key: i}); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func newWorker(life context.Context, cfg Config, env *Env, out func(Report)) *Worker {
	w := &Worker{cfg: cfg, env: env, out: out, life: life, cycles: make(chan *Order, 1),
		answer: make(chan *Order, 1), locks: map[string]caller{}, breakpoints: breakpoints{life: life}}
	w.stop, w.halt = context.WithCancel(life)
	w.stay, w.leave = context.WithCancel(life)
	return w
}

// Connect opens a connection to each Redis, so that the first cycle does not pay for it, and
// reports ready.
func (w *Worker) Connect() error {
	if l, ok := w.remote.(*linked); ok {
		if err := l.connect(); err != nil {
			return fmt.Errorf("client %d: %w", w.cfg.Process, err)
		}
	}
	for i, c := range w.redis {
		err := ping(w.life, c)
		// a machine that is busy with starting many clients is slow, and a client's time-outs may be
		// short
		if err != nil {
			err = w.insist(c, err)
		}
		if err != nil {
			return fmt.Errorf("client %d cannot reach %s: %w", w.cfg.Process, w.routes[i].current(),
				w.routes[i].reason(w.life, err))
		}
	}
	w.report(Report{Ready: &Ready{PID: os.Getpid(), T: int64(w.env.Elapsed())}})
	return nil
}

// insist tries again for pingTimeout to reach a Redis.
func (w *Worker) insist(c redis.UniversalClient, err error) error {
	ctx, cancel := context.WithTimeout(w.life, pingTimeout)
	defer cancel()
	for err != nil && w.env.Sleep(ctx, pingPause) == nil {
		err = ping(ctx, c)
	}
	return err
}

// ping sends a command that the trace leaves out.
func ping(ctx context.Context, c redis.UniversalClient) error {
	return c.Do(ctx, "client", "id").Err()
}

// reason is why a Redis cannot be reached: what it says by itself, or else err.
func (r *route) reason(ctx context.Context, err error) error {
	_, address := r.target()
	c, dialErr := r.dial(ctx, address)
	if dialErr != nil {
		return err
	}
	if words := resp.Unasked(c, pingTimeout/10); words != "" {
		return errors.New(words)
	}
	return err
}

// Close ends what the worker started: its lock's goroutines and its connections.
func (w *Worker) Close() {
	w.halt()
	w.env.Wait()
	if l, ok := w.remote.(*linked); ok {
		l.close()
	}
	w.Disconnect()
}

// Disconnect closes the worker's connections: what waits for a reply, or for a connection, fails.
// It may be called more than once.
func (w *Worker) Disconnect() {
	for _, c := range w.redis {
		c.Close()
	}
}

// Handle carries out an order at once; a cycle is handed to Run.
func (w *Worker) Handle(o Order) error {
	switch o.Do {
	case DoCycle:
		w.cycles <- &o
	case DoArm:
		return w.arm(*o.Breakpoint)
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
			return w.remote.Befall(o.Body)
		}
		w.befalls.Store(&o.Body)
	case DoHurry:
		w.env.Hurry(o.Offset.D())
	case DoGiveUp:
		return giveUp(w.routes, o.Node)
	case DoAnswer:
		w.answer <- &o
	case DoLeave:
		if leave := w.depart.Load(); leave != nil {
			(*leave)()
		}
	case DoStop:
		w.halt()
		if o.Leave {
			w.leave()
		}
	default:
		return fmt.Errorf("unknown order %q", o.Do)
	}
	return nil
}

// arm adds a breakpoint. The commands of our own locks are known; those of a Remote are only by
// what they mean.
func (w *Worker) arm(b Breakpoint) error {
	if b.Means != "" && b.Command != "" {
		if w.remote == nil {
			b.Means = ""
		} else {
			b.Command = ""
		}
	}
	if b.Means != "" {
		w.meanings.learn()
	}
	return w.breakpoints.arm(b)
}

func (w *Worker) redirect(node string) error {
	if w.remote != nil {
		return w.remote.Redirect(node)
	}
	return redirect(w.routes, node)
}

// Run performs cycles as they are ordered until life ends.
func (w *Worker) Run() {
	for {
		select {
		case <-w.life.Done():
			return
		case o := <-w.cycles:
			w.hold.Store(o)
			err := w.cycle(*o)
			w.report(Report{Done: &Done{N: o.N, Err: text(err)}})
		}
	}
}

// granted is a grant of a lock of this process, with its node.
func (w *Worker) granted(g impls.Grant) Granted {
	r := Granted{Grant: g}
	if len(w.routes) == 1 { // several nodes granted it together otherwise
		r.Node = w.routes[0].current()
	}
	return r
}

// notice records what a watchdog learned. It belongs to the hold that the process is busy with, and
// of nested ones to the outermost: a client has one cycle at a time.
func (w *Worker) notice(n impls.Notice) {
	o := w.hold.Load()
	if o == nil {
		return
	}
	e := about(history.Lost, "", *o)
	e.Err = text(n.Lost)
	if n.Extended != nil {
		e.Type, e.Grant = history.Extend, w.granted(*n.Extended).record()
	}
	w.event(e)
	if n.Extended == nil {
		w.told(o.N)
	}
}

// event reports e, and stamps it unless another process did: such a stamp is never changed, even if
// an event with a later one was reported before.
func (w *Worker) event(e history.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.T == 0 {
		e.T = int64(w.env.Elapsed())
	}
	e.Process = w.cfg.Process
	w.out(Report{Event: &e})
}

// sent numbers, stamps and reports a command that is about to leave.
func (w *Worker) sent(c history.Command) history.Command {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seq++
	c.Seq, c.Sent = w.seq, int64(w.env.Elapsed())
	w.out(Report{Command: &c})
	return c
}

func (w *Worker) report(r Report) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out(r)
}

// pass goes through the breakpoints of a phase.
func (w *Worker) pass(phase string, o Order) {
	w.passWithin(w.life, phase, o)
}

func (w *Worker) passWithin(ctx context.Context, phase string, o Order) {
	w.breakpoints.phase(ctx, phase, func(id, stop int) {
		hit := BreakpointHit{ID: id, N: o.N, Key: o.Key}
		if stop > 0 {
			hit.Stop, hit.Phase = stop, phase
		}
		w.hit(hit)
	})
}

// stopAtCommand stops at a breakpoint for a command; done is its end, at After.
func (w *Worker) stopAtCommand(ctx context.Context, at string, c, done history.Command) {
	if w.breakpoints.none() {
		return
	}
	line := strings.ToLower(c.String())
	is := func(meaning string) bool { return w.meanings.is(meaning, at, c, done) }
	w.breakpoints.command(ctx, at, line, is, func(id, stop int) {
		hit := BreakpointHit{ID: id, N: c.N, Command: c.String()}
		if stop > 0 {
			hit.Stop, hit.Node, hit.Args = stop, c.Node, c.Args
		}
		w.hit(hit)
	})
}

func (w *Worker) hit(h BreakpointHit) {
	h.T = int64(w.env.Elapsed())
	w.report(Report{Breakpoint: &h})
}

func (w *Worker) current() int { return int(w.n.Load()) }

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func errorsAs(err error, target *redis.Error) bool { return err != nil && errors.As(err, target) }

func maintenanceOff() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// gapLimit is how late a timer may be before it counts as a scheduling gap.
const gapLimit = 20 * time.Millisecond

// tick is how often a client looks whether it ran. What can matter is a stall of a good part of a
// lease, and each look wakes the process up.
func tick(lease time.Duration) time.Duration {
	return min(max(lease/25, 10*time.Millisecond), 40*time.Millisecond)
}

// Watch reports when the process did not run for longer than gapLimit and a tick. It returns when
// life ends.
func (w *Worker) Watch() {
	tick := tick(w.cfg.TTL.D())
	last := w.env.Elapsed()
	for w.env.sleep(w.life, tick) == nil {
		now := w.env.Elapsed()
		if late := now - last - tick; late > gapLimit {
			w.event(history.Event{Type: history.Gap, Gap: history.Duration(late)})
		}
		last = now
	}
}
