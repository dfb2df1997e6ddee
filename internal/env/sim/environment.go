package sim

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/workloads"
)

// Environment is a simulated environment. Only the goroutine that Run starts may call its methods.
type Environment struct {
	cfg     *Config
	chooser Chooser
	*scheduler
	*nodes
	*links
	*clients
}

// runs counts the environments of this process.
var runs atomic.Uint64

// newEnvironment connects the parts of an environment that is still empty.
func newEnvironment(cfg Config) *Environment {
	cfg.Worker.Run = runs.Add(1)
	w := &Environment{cfg: &cfg, chooser: cfg.Chooser, scheduler: newScheduler()}
	if w.chooser == nil {
		w.chooser = Seeded{cfg.Seed}
	}
	if cfg.Latencies == nil {
		cfg.Latencies = DefaultLatencies
	}
	w.links = &links{scheduler: w.scheduler, chooser: w.chooser, latencies: cfg.Latencies}
	w.nodes = &nodes{scheduler: w.scheduler, cfg: w.cfg, links: w.links}
	w.clients = &clients{scheduler: w.scheduler, cfg: w.cfg, links: w.links, nodes: w.nodes}
	return w
}

// start makes nodes, links and clients, and lets every client connect.
func (w *Environment) start() error {
	if err := w.cfg.check(); err != nil {
		return err
	}
	w.nodes.start()
	if err := w.clients.start(); err != nil {
		return err
	}
	err := w.connect()
	if p, ok := w.chooser.(Picker); ok { // not earlier: the order of connections is not explored
		w.ordering = newOrdering(w, p)
	}
	return err
}

// startLimit is how long clients may take to connect.
const startLimit = 5 * time.Second

// connect waits until every worker is ready. It delivers all messages at once, for all clients in
// parallel, since no run depends on their order.
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
			if r.Ready != nil {
				ready++
			}
		}
		w.reports = w.reports[:0]
		switch {
		case ready == len(w.clients.all):
			if workloads.IsProgram(w.cfg.Worker.Impl) {
				w.forget()
			}
			return nil
		case w.Now() >= limit:
			return fmt.Errorf("%d of %d clients are ready after %v", ready, len(w.clients.all), startLimit)
		}
		w.rush(limit)
	}
}

// drain delivers the messages under way when the run is over, and the messages that soon follow.
// A program can serve another run if it waits for no reply.
func (w *Environment) drain() {
	if !workloads.IsProgram(w.cfg.Worker.Impl) {
		return
	}
	w.settle()
	w.cfg.Executed, w.cfg.Changed, w.links.chooser = nil, nil, Seeded{} // the record is complete
	if o := w.ordering; o != nil {
		w.ordering = nil
		for _, m := range o.pending {
			m.arrive()
		}
	}
	w.RunUntil(drainTime, func() bool { return false })
}

// drainTime is how long the commands of a run that is over may take.
const drainTime = 20 * time.Millisecond

// forget begins the run anew after the clients have connected: what they needed for that differs
// from run to run.
func (w *Environment) forget() {
	for _, l := range w.links.all {
		l.up.count, l.down.count = 0, 0
	}
	for _, n := range w.nodes.all {
		n.engine.Load(engine.New().Snapshot())
	}
}

// Name returns "sim".
func (w *Environment) Name() string { return "sim" }

// Versions returns the versions of the simulator.
func (w *Environment) Versions() map[string]string {
	return map[string]string{"redis": "simulated " + engine.Version, "sim": "1"}
}

// close ends every goroutine of the environment. It delivers no more messages.
func (w *Environment) close() {
	w.inbox.alarm.Stop()
	w.clients.close()
	time.Sleep(strayTime)
}

// strayTime is how long go-redis' own goroutines may sleep before they notice that their client is
// closed: after many refused connections it dials again every second.
const strayTime = 2 * time.Minute

// grain is the resolution of times in a fingerprint. Times that differ only by microseconds come
// from two orders of the same messages.
const grain = time.Millisecond

// Fingerprint returns a hash of the state that the rest of the run depends on: the contents of the
// nodes, everything that each client has seen so far, the messages under way, and the time to a
// millisecond. It is for a run with a Pruner. Equal fingerprints mean equal states, except after a
// collision of 64 bits or with a lock that distinguishes times below a millisecond. A Picker that
// prunes must add two parts of the state itself: the contents of replies under way
// (Config.Executed), and the client that acted last, if the Picker counts that.
func (w *Environment) Fingerprint() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d|", w.Now()/int64(grain))
	for _, n := range w.nodes.all {
		fmt.Fprintf(h, "%v %v %d %d %d %v %d|", n.down, n.paused, n.busy, n.offset, n.stands,
			n.engine.Replica, n.waiting)
		io.WriteString(h, n.engine.Contents())
	}
	for _, c := range w.clients.all {
		fmt.Fprintf(h, "%d|", c.seen)
	}
	names := w.ordering.underWay()
	slices.Sort(names) // the order of sending makes no difference
	for _, name := range names {
		io.WriteString(h, name)
	}
	for _, l := range w.links.all {
		if !l.intact() {
			fmt.Fprintf(h, "%s %v %v %d", l.name, l.up.cut, l.down.cut, len(l.up.held)+len(l.down.held))
		}
	}
	return h.Sum64()
}
