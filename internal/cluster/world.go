package cluster

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
	"github.com/redis/go-redis/v9"
)

// Config says what world is wanted.
type Config struct {
	Dir         string // the run directory: logs and command streams go there
	Topology    string // nemesis.Single, Failover or Independent
	Masters     int    // of the topology Independent
	Clients     int
	Scenario    []nemesis.Step // what the world must be prepared for
	Seed        uint64
	Worker      workloads.Config // what all workers have in common
	RedisConfig []string         // further settings of every node: "min-replicas-to-write", "1", …
	Launcher    Launcher         // starts the nodes; nil: as processes
	Spawner     Spawner          // starts the workers; nil: as processes
}

// World is a set of running processes. Its methods are for one goroutine, the harness's loop.
type World struct {
	cfg      Config
	subnet   string // "127.77.3": all addresses of this run
	scratch  string // where the nodes live
	nodes    []*Node
	admins   []*redis.Client
	monitors []io.Closer
	proxies  *proxies
	clients  []*client
	versions map[string]string
	inbox    chan workloads.Report

	watchers      []*Node // the sentinels
	sentinelAddrs []string
	announced     map[string]string        // names of nodes by their public address
	clocks        map[string]*ServerClock  // of nodes whose clock can be moved
	blocks        map[string]chan struct{} // of nodes that execute a script which does not end: closed when it is killed
	stalls        map[string]chan error    // of nodes that execute a command which ends by itself

	killed sync.Map // nodes that were killed on purpose
	ended  chan struct{}
}

// inboxSize is room for what all workers may report while the loop is busy with a fault.
const inboxSize = 1 << 16

// startTries is how many addresses are tried: another program may listen on the first.
const startTries = 5

// possible refuses what the launcher cannot do.
func (c Config) possible() error {
	for _, s := range c.Scenario {
		if err := c.Launcher.Cannot(s.Do); err != nil {
			return fmt.Errorf("not possible in this world: %w", err)
		}
	}
	return nil
}

// Start starts the nodes, the proxies and the workers side by side, and returns when every worker can be given orders.
func Start(cfg Config) (w *World, err error) {
	sweep()
	if cfg.Launcher == nil {
		cfg.Launcher = processes{}
	}
	if cfg.Spawner == nil {
		cfg.Spawner = processes{}
	}
	if err := cfg.possible(); err != nil {
		return nil, err
	}
	w = &World{cfg: cfg, clocks: map[string]*ServerClock{}, blocks: map[string]chan struct{}{}, stalls: map[string]chan error{}, announced: map[string]string{}, versions: map[string]string{}, inbox: make(chan workloads.Report, inboxSize), ended: make(chan struct{})}
	maps.Copy(w.versions, cfg.Launcher.Versions())
	begun := w // w is nil where an error is returned
	defer func() {
		if err != nil {
			begun.Close()
		}
	}()
	for _, d := range []string{"logs", "nodes"} {
		if err := os.MkdirAll(filepath.Join(cfg.Dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	if w.scratch, err = scratch(); err != nil {
		return nil, err
	}
	if needs(cfg.Scenario, nemesis.Stall, "") {
		v, err := cfg.Launcher.ServerVersion()
		if err != nil {
			return nil, err
		}
		w.cfg.RedisConfig = append(debugging(v), cfg.RedisConfig...)
	}
	spawned := make(chan error, 1)
	go func() { spawned <- w.startClients() }()
	err = w.startServers()
	if e := <-spawned; err == nil {
		err = e
	}
	if err != nil {
		return nil, err
	}
	if err = w.probeClocks(); err != nil {
		return nil, err
	}
	if err = w.configure(); err != nil {
		return nil, err
	}
	go w.watch()
	return w, nil
}

// watch reports when this process did not run for a while: the proxies live in it.
func (w *World) watch() {
	const tick, limit = 10 * time.Millisecond, 20 * time.Millisecond
	t := time.NewTicker(tick)
	defer t.Stop()
	for last := Monotonic(); ; {
		select {
		case <-w.ended:
			return
		case <-t.C:
		}
		now := Monotonic()
		if late := time.Duration(now-last) - tick; late > limit {
			w.tell(workloads.Report{Process: history.Harness, Event: &history.Event{
				Type: history.Gap, T: now, Process: history.Harness, Gap: history.Duration(late)}})
		}
		last = now
	}
}

func (w *World) log(name string) string { return filepath.Join(w.cfg.Dir, "logs", name+".log") }

func (w *World) startClients() error {
	for i := range w.cfg.Clients {
		c, err := w.startClient(i)
		if err != nil {
			return err
		}
		w.clients = append(w.clients, c)
	}
	return nil
}

// startServers starts the masters, the proxies, and then what replicates from them: a replica that starts before its master waits a second.
func (w *World) startServers() error {
	if err := w.startFirst(); err != nil {
		return err
	}
	var err error
	if w.proxies, err = startProxies(w.host(100)); err != nil {
		return err
	}
	switch w.cfg.Topology {
	case nemesis.Failover:
		err = w.startReplica()
	case nemesis.Independent:
		err = w.startOthers()
	case nemesis.Sentinel:
		err = w.startSentinels()
	}
	for i := 0; err == nil && i < len(w.nodes); i++ {
		w.admins = append(w.admins, admin(w.nodes[i].Addr()))
		err = w.observe(w.nodes[i])
	}
	return err
}

// host is an address of this run's own network on loopback.
func (w *World) host(i int) string { return w.subnet + "." + strconv.Itoa(i) }

// node describes the i-th node. Its clock can be moved if the scenario wants that.
func (w *World) node(i int, replicaOf string) (NodeConfig, error) {
	name := "n" + strconv.Itoa(i)
	c := NodeConfig{
		Name: name, Host: w.host(1 + i), Port: 20000 + rand.IntN(10000), Dir: filepath.Join(w.scratch, name),
		Log: w.log(name), ReplicaOf: replicaOf, Config: w.cfg.RedisConfig,
	}
	if !needs(w.cfg.Scenario, nemesis.NodeClock, "") {
		return c, nil
	}
	clock, err := newServerClock(w.scratch, name)
	w.clocks[name], c.Clock = clock, clock
	return c, err
}

// startFirst looks for an address where nobody listens.
func (w *World) startFirst() (err error) {
	for range startTries {
		w.subnet = fmt.Sprintf("127.%d.%d", 2+rand.IntN(250), rand.IntN(256))
		var n *Node
		if n, err = w.start(0, ""); err != nil {
			return err // not installed, or nothing can be written: another address does not help
		}
		if err = n.Ready(); err == nil {
			w.nodes = append(w.nodes, n)
			return nil
		}
		n.Kill()
	}
	return err
}

func (w *World) start(i int, replicaOf string) (*Node, error) {
	c, err := w.node(i, replicaOf)
	if err != nil {
		return nil, err
	}
	return w.launch(c)
}

// linkServers makes a link that servers use.
func (w *World) linkServers(name, upstream string) (string, error) {
	gateway, err := w.cfg.Launcher.Gateway()
	if err != nil {
		return "", err
	}
	return w.proxies.linkAt(cmp.Or(gateway, w.proxies.host), name, upstream)
}

func (w *World) startReplica() error {
	addr, err := w.linkServers("n0>n1", w.nodes[0].Addr())
	if err != nil {
		return err
	}
	n, err := w.start(1, addr)
	if err != nil {
		return err
	}
	w.nodes = append(w.nodes, n)
	if err := n.Ready(); err != nil {
		return err
	}
	c := admin(w.nodes[0].Addr())
	defer c.Close()
	return barrier(c, 1)
}

// startOthers starts the other independent masters side by side.
func (w *World) startOthers() error {
	for i := 1; i < w.cfg.Masters; i++ {
		n, err := w.start(i, "")
		if err != nil {
			return err
		}
		w.nodes = append(w.nodes, n)
	}
	for _, n := range w.nodes {
		if err := n.Ready(); err != nil {
			return err
		}
	}
	return nil
}

// observe asks a node for its version and follows its command stream, around the proxies.
func (w *World) observe(n *Node) error {
	i, err := w.find(n.Name)
	if err != nil {
		return err
	}
	if w.versions["redis"], err = version(w.admins[i]); err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	if _, ok := n.Server.(present); ok {
		return nil // MONITOR would slow it down for others
	}
	m, err := monitor(n.Addr(), filepath.Join(w.cfg.Dir, "nodes", n.Name+".jsonl"))
	if err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	w.monitors = append(w.monitors, m)
	go w.guard(n)
	return nil
}

// guard reports a node that ended although nobody killed it.
func (w *World) guard(n *Node) {
	select {
	case <-w.ended:
	case <-n.Done():
		if _, planned := w.killed.Load(n); !planned {
			w.tell(workloads.Report{Process: history.Harness, Exit: &workloads.Exit{T: Monotonic(), Node: n.Name, Err: n.Err().Error()}})
		}
	}
}

// configure gives every worker its proxies and waits until all are connected.
func (w *World) configure() error {
	for i, c := range w.clients {
		cfg := w.cfg.Worker
		cfg.Process, cfg.Seed, cfg.Master = i, w.cfg.Seed+uint64(i)+1, w.nodes[0].Name
		var err error
		if cfg.Nodes, err = w.ways(fmt.Sprintf("c%d>", i)); err != nil {
			return err
		}
		cfg.Sentinels, cfg.Announced = w.sentinelAddrs, w.announced
		if needs(w.cfg.Scenario, nemesis.Direct, workloads.Spare) {
			if cfg.Spares, err = w.ways(fmt.Sprintf("c%d+>", i)); err != nil {
				return err
			}
		}
		c.send(workloads.Order{Do: workloads.DoConfig, Config: &cfg})
	}
	const patience = 4 * patience // a container may be what starts
	limit := time.After(patience)
	for ready := 0; ready < len(w.clients); {
		select {
		case r := <-w.inbox:
			switch {
			case r.Ready != nil:
				ready++
			case r.Failed != "":
				return fmt.Errorf("worker %d: %s", r.Process, r.Failed)
			case r.Exit != nil:
				return fmt.Errorf("worker %d ended while it started (%s); see logs/c%d.log", r.Process, r.Exit.Err, r.Process)
			}
		case <-limit:
			return fmt.Errorf("%d of %d workers are ready after %v", ready, len(w.clients), patience)
		}
	}
	return nil
}

// ways makes a link to every node and returns them as Config.Nodes wants them: independent masters one by one, a master and its
// replicas together.
func (w *World) ways(prefix string) (ways []map[string]string, err error) {
	for i, n := range w.nodes {
		addr, err := w.proxies.link(prefix+n.Name, n.Addr())
		if err != nil {
			return nil, err
		}
		if i == 0 || w.cfg.Topology == nemesis.Independent {
			ways = append(ways, map[string]string{})
		}
		ways[len(ways)-1][n.Name] = addr
	}
	return ways, nil
}

// Name is process, docker or external.
func (w *World) Name() string { return w.cfg.Launcher.Name() }

// Versions are those of what answered, by name.
func (w *World) Versions() map[string]string { return w.versions }

// Now reads the clock that all stamps come from.
func (w *World) Now() int64 { return Monotonic() }

// Next returns the next report, or false when the clock has passed deadline or ctx has ended.
func (w *World) Next(ctx context.Context, deadline int64) (workloads.Report, bool) {
	select {
	case r := <-w.inbox:
		return r, true
	default:
	}
	t := time.NewTimer(time.Duration(deadline - Monotonic()))
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
func (w *World) Send(client int, o workloads.Order) { w.clients[client].send(o) }

// Close ends every process and waits until all are gone. It may be called more than once.
func (w *World) Close() error {
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
	for _, a := range w.admins {
		a.Close()
	}
	for _, n := range append(w.nodes, w.watchers...) {
		all.Go(n.Kill)
	}
	all.Wait()
	if w.proxies != nil {
		w.proxies.close()
	}
	return os.RemoveAll(w.scratch)
}

// drain lets workers finish what they have to say, which nobody wants any more.
func (w *World) drain(closed <-chan struct{}) {
	for {
		select {
		case <-w.inbox:
		case <-closed:
			return
		}
	}
}
