package cluster

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// Config says what environment is wanted.
type Config struct {
	Dir         string // the run directory: logs and command streams go there
	Topology    string // nemesis.Single, Failover or Independent
	Masters     int    // of the topology Independent
	Replicas    int    // behind each of them: 0 or 1; of the topology Failover: 0 means 1
	Clients     int
	Scenario    []nemesis.Step // what the environment must be prepared for
	Seed        uint64
	Worker      workloads.Config // what all workers have in common
	RedisConfig []string         // further settings of every node: "min-replicas-to-write", "1", …
	Launcher    server.Launcher  // starts the nodes; nil: as processes
	Spawner     server.Spawner   // starts the workers; nil: as processes
	Relay       Relay            // stands between the links and the nodes; nil: nothing does
	System      server.Kind      // of the nodes; nil: Redis
	// that the nodes must have, and which Redis has each first; not every Redis has them
	Commands map[string]string
}

// Environment is a set of running processes. Its methods are for one goroutine, the harness's loop.
type Environment struct {
	cfg      Config
	subnet   string         // "127.77.3": all addresses of this run
	scratch  *server.Folder // where the nodes live
	nodes    []*node
	watchers []*node // the sentinels
	fronts   []*node // what stands before nodes, one each, or nothing
	monitors []io.Closer
	remote   *proxy.Remote // where the proxies are; nil: in this process
	links    *proxy.Links
	clients  []*client
	versions map[string]string
	inbox    chan workloads.Report

	election  election
	ensemble  ensemble
	announced map[string]string // names of nodes by their public address
	// where a replica reaches one that was promoted, by the name of the link
	successions map[string]string

	killed sync.Map // the server.Server of nodes that were killed on purpose
	ended  chan struct{}
}

// node is a server of the environment and our own connection to it.
type node struct {
	server.Node
	operator server.Operator
	follows  *node           // of which it is a replica; nil: of none
	spins    <-chan struct{} // closed at the end of the script that it executes; nil: none
	naps     <-chan error    // the end of a command that ends by itself; nil: none
	again    bool            // it was started again
}

// inboxSize is room for what all workers may report while the loop is busy with a fault.
const inboxSize = 1 << 16

// possible refuses what the launcher cannot do.
func (c Config) possible() error {
	for _, s := range c.Scenario {
		if err := c.Launcher.Cannot(s.Do); err != nil {
			return nemesis.ImpossibleError{Reason: err}
		}
	}
	return nil
}

// Start starts the nodes, the proxies and the workers side by side, and returns when every worker
// can be given orders.
func Start(cfg Config) (*Environment, error) {
	server.Sweep()
	if cfg.Launcher == nil {
		cfg.Launcher = server.Processes{}
	}
	if cfg.Spawner == nil {
		cfg.Spawner = server.Processes{}
	}
	if err := cfg.possible(); err != nil {
		return nil, err
	}
	w := newEnvironment(cfg)
	if err := w.begin(); err != nil {
		w.Close()
		return nil, err
	}
	go w.watch()
	go w.keep()
	return w, nil
}

// newEnvironment is an environment in which nothing runs yet.
func newEnvironment(cfg Config) *Environment {
	w := &Environment{
		cfg: cfg, announced: map[string]string{}, successions: map[string]string{},
		versions: map[string]string{},
		inbox:    make(chan workloads.Report, inboxSize), ended: make(chan struct{}),
	}
	maps.Copy(w.versions, cfg.Launcher.Versions())
	return w
}

// begin makes the run's folders and starts everything.
func (w *Environment) begin() (err error) {
	for _, d := range []string{"logs", "nodes"} {
		if err := os.MkdirAll(filepath.Join(w.cfg.Dir, d), 0o755); err != nil {
			return err
		}
	}
	if w.scratch, err = server.Scratch(); err != nil {
		return err
	}
	if needs(w.cfg.Scenario, nemesis.Stall, "") {
		v, err := w.cfg.Launcher.ServerVersion()
		if err != nil {
			return err
		}
		w.cfg.RedisConfig = append(server.Debugging(v), w.cfg.RedisConfig...)
	}
	if err := w.startRemote(); err != nil {
		return err
	}
	spawned := make(chan error, 1)
	go func() { spawned <- w.startClients() }()
	err = w.startServers()
	if e := <-spawned; err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err := w.hasCommands(); err != nil {
		return err
	}
	if err := w.probeClocks(); err != nil {
		return err
	}
	return w.configure()
}

func (w *Environment) log(name string) string {
	return filepath.Join(w.cfg.Dir, "logs", name+".log")
}

// Name is process, docker or external.
func (w *Environment) Name() string { return w.cfg.Launcher.Name() }

// Versions are those of what answered, by name.
func (w *Environment) Versions() map[string]string { return w.versions }

// Now reads the clock that all stamps come from.
func (w *Environment) Now() int64 { return proc.Monotonic() }

// Next returns the next report, or false when the clock has passed deadline or ctx has ended.
func (w *Environment) Next(ctx context.Context, deadline int64) (workloads.Report, bool) {
	select {
	case r := <-w.inbox:
		return r, true
	default:
	}
	t := time.NewTimer(time.Duration(deadline - proc.Monotonic()))
	defer t.Stop()
	select {
	case r := <-w.inbox:
		return r, true
	case <-t.C:
	case <-ctx.Done():
	}
	return workloads.Report{}, false
}

// Send gives a worker an order. One that is gone gets nothing.
func (w *Environment) Send(client int, o workloads.Order) { w.clients[client].send(o) }

// Close ends every process and waits until all are gone. It may be called more than once.
func (w *Environment) Close() error {
	select {
	case <-w.ended:
		return nil
	default:
		close(w.ended)
	}
	closed := make(chan struct{})
	defer close(closed)
	go w.drain(closed)
	var all sync.WaitGroup
	for _, c := range w.clients {
		all.Go(c.close)
	}
	all.Wait()
	for _, m := range w.monitors {
		m.Close()
	}
	for _, n := range slices.Concat(w.nodes, w.watchers, w.fronts) {
		n.operator.Close()
		all.Go(n.Kill)
	}
	all.Wait()
	if w.links != nil {
		w.links.Close()
	}
	return errors.Join(w.endRemote(), w.scratch.Close())
}

// drain lets workers finish what they write, which is not read any more.
func (w *Environment) drain(closed <-chan struct{}) {
	for {
		select {
		case <-w.inbox:
		case <-closed:
			return
		}
	}
}
