package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/workloads"
)

// Environment is a simulated environment. Its methods are for one goroutine, the one that Run
// called.
type Environment struct {
	cfg     Config
	chooser Chooser
	began   time.Time
	zero    int64 // of that, ns since 1970
	hands   *hands
	inbox   inbox
	readers readers
	reports []workloads.Report // in order
	taken   int                // of them: what was asked for
	queue   queue
	nodes   []*node
	masters int // that many of them are; their replicas follow
	clients []*client
	links   []*link // in the order of their names' making
	key     []byte  // of the latest question
	// a client may run: something was done to one since all were seen to be blocked
	stirred bool

	connecting atomic.Bool // clients are making their first connections
	greeting   sync.Mutex  // then, of the nodes and links

	picker    Picker // nil: messages have latencies
	pending   []message
	lastActor int
	asleep    sleepers
}

func newEnvironment(cfg Config) *Environment {
	w := &Environment{cfg: cfg, chooser: cfg.Chooser, began: time.Now(), stirred: true}
	w.zero = w.began.UnixNano()
	w.inbox.alarm = time.NewTimer(time.Hour)
	if w.chooser == nil {
		w.chooser = Seeded{cfg.Seed}
	}
	if w.cfg.Latencies == nil {
		w.cfg.Latencies = DefaultLatencies
	}
	return w
}

// start makes nodes, links and clients, and lets every client connect.
func (w *Environment) start() error {
	if err := w.cfg.check(); err != nil {
		return err
	}
	masters, replicas, _ := w.cfg.nodes() // checked
	w.masters = len(masters)
	for _, name := range append(masters, replicas...) {
		n := &node{w: w, name: name, engine: engine.New()}
		if w.cfg.Effects {
			n.engine.Effects = &n.effects
		}
		n.record()
		w.nodes = append(w.nodes, n)
	}
	for i := range replicas {
		w.replicate(w.nodes[i%len(masters)], w.nodes[len(masters)+i])
	}
	if len(masters) == 1 {
		w.linkReplicas(w.nodes[1:])
	}
	for i := range w.cfg.Clients {
		w.clients = append(w.clients, w.newClient(i))
	}
	for _, c := range w.clients {
		if w.cfg.Bare {
			break
		}
		if err := c.play(); err != nil {
			return err
		}
	}
	err := w.connect()
	w.picker, _ = w.chooser.(Picker) // from here on: how clients connect is not worth exploring
	return err
}

// startLimit is how long clients may take to connect.
const startLimit = 5 * time.Second

// connect waits until every worker is ready. All messages arrive at once, for all clients side by
// side: no run depends on their order.
func (w *Environment) connect() error {
	if w.cfg.Bare {
		return nil
	}
	w.connecting.Store(true)
	defer w.connecting.Store(false)
	limit, ready := w.Now()+int64(startLimit), 0
	for {
		w.settle()
		for _, r := range w.reports {
			if r.Failed != "" {
				return errors.New(r.Failed)
			}
			ready++
		}
		w.reports = w.reports[:0]
		switch {
		case ready == len(w.clients):
			return nil
		case w.Now() >= limit:
			return fmt.Errorf("%d of %d clients are ready after %v", ready, len(w.clients), startLimit)
		}
		w.rush(limit)
	}
}

// rush lets everything happen that is to come. If that is nothing, time passes.
func (w *Environment) rush(limit int64) {
	if !w.stirred && len(w.queue.events) == 0 {
		w.stepTimed(limit)
	}
	all := w.queue.events
	w.queue.events = nil
	for _, e := range all {
		e.happen()
	}
}

// Name is "sim".
func (w *Environment) Name() string { return "sim" }

// Versions say what answered: nothing real.
func (w *Environment) Versions() map[string]string {
	return map[string]string{"redis": "simulated " + engine.Version, "sim": "1"}
}

// Now is the virtual time, ns since the environment began.
func (w *Environment) Now() int64 { return int64(w.elapsed()) }

// elapsed is time.Since(w.began), which is slow in a bubble: its times have no monotonic reading.
func (w *Environment) elapsed() time.Duration {
	return time.Duration(time.Now().UnixNano() - w.zero)
}

// Next lets the environment go on until a client has something to report, and returns that; false:
// Now has reached deadline, or ctx has ended.
func (w *Environment) Next(ctx context.Context, deadline int64) (workloads.Report, bool) {
	for {
		w.settle()
		if w.taken < len(w.reports) {
			w.taken++
			return w.reports[w.taken-1], true
		}
		w.reports, w.taken = w.reports[:0], 0
		if ctx.Err() != nil || w.Now() >= deadline {
			return workloads.Report{}, false
		}
		w.step(deadline)
	}
}

// orderTime is how long an order is on its way to a client at least.
const orderTime = 10 * time.Microsecond

// OrderTime is how long an order is on its way to a client, unless others are before it.
func OrderTime(client int) time.Duration { return orderTimeOf(clientName(client)) }

func orderTimeOf(name string) time.Duration { return orderTime + time.Duration(hash(2, name)%9973) }

// Send gives a client an order. It arrives a little later, after those before it.
func (w *Environment) Send(client int, o workloads.Order) {
	c := w.clients[client]
	at := max(w.Now()+int64(c.orderTime), c.ordered+1)
	c.ordered = w.queue.add(at, func() { c.order(o) })
}

// close ends every goroutine of the environment. Nothing is delivered any more.
func (w *Environment) close() {
	w.inbox.alarm.Stop()
	for _, c := range w.clients {
		c.end()
	}
	for _, c := range w.clients {
		c.wait()
	}
	time.Sleep(strayTime)
}

// strayTime is how long go-redis' own goroutines may sleep before they notice that their client is
// closed: after many refused connections it dials again every second.
const strayTime = 2 * time.Minute

func (w *Environment) findNode(name string) (*node, error) {
	i := slices.IndexFunc(w.nodes, func(n *node) bool { return n.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no node %q", name)
	}
	return w.nodes[i], nil
}

func (w *Environment) findClient(i int) (*client, error) {
	if i < 0 || i >= len(w.clients) {
		return nil, fmt.Errorf("there is no client %d", i)
	}
	return w.clients[i], nil
}
