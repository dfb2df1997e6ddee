// Package cluster is an environment of real processes: redis-server on loopback, a worker process
// for each client, and a toxiproxy proxy on every link between them. All of them end with the
// process that started them.
//
// An Environment has five parts: nodes, links and clients carry out the faults, observer and
// election report what the servers do by themselves. A layout starts the servers of a topology.
package cluster

import (
	"maps"
	"sync"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// Config says which environment Start starts.
type Config struct {
	Dir         string // run directory, which gets logs and streams of commands
	Topology    string // nemesis.Single, Failover or Independent
	Masters     int    // of the topology Independent
	Replicas    int    // of each of those masters (0 or 1), or of the topology Failover (0 means 1)
	Clients     int
	Scenario    []nemesis.Step // steps that the servers must be prepared for
	Seed        uint64
	Worker      workloads.Config // settings that all workers share
	RedisConfig []string         // further settings of every node: "min-replicas-to-write", "1", …
	Launcher    server.Launcher  // starts the nodes; if nil, they are processes
	Spawner     server.Spawner   // starts the workers; if nil, they are processes
	Relay       Relay            // between the links and the nodes, or nil
	System      server.Kind      // of the nodes; if nil, Redis
	// commands that the nodes must have, each with the first Redis that has it
	Commands map[string]string
}

// Environment is a set of running processes. Its methods are for one goroutine, the harness's loop.
type Environment struct {
	cfg *Config
	*inbox
	*clients
	*nodes
	*links
	hosts    *hosts
	observer *observer
	election *election
}

// Start starts the nodes, the proxies and the workers in parallel, and returns when every worker
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
	if err := w.start(); err != nil {
		w.Close()
		return nil, err
	}
	go proc.Stalls(w.ended, w.stalled) // the proxies live in this process
	go w.hosts.watchFolder()
	return w, nil
}

// possible refuses steps that the launcher cannot carry out.
func (c *Config) possible() error {
	for _, s := range c.Scenario {
		if err := c.Launcher.Cannot(s.Do); err != nil {
			return nemesis.ImpossibleError{Reason: err}
		}
	}
	return nil
}

// newEnvironment connects the parts of an environment. Nothing runs in it yet.
func newEnvironment(cfg Config) *Environment {
	w := &Environment{cfg: &cfg, inbox: newInbox()}
	w.hosts = &hosts{cfg: w.cfg, inbox: w.inbox}
	w.observer = &observer{cfg: w.cfg, inbox: w.inbox, versions: map[string]string{}}
	w.election = &election{inbox: w.inbox, fault: nemesis.Promote}
	if cfg.Topology == nemesis.Ensemble {
		w.election.fault = nemesis.Lead
	}
	w.clients = &clients{cfg: w.cfg, inbox: w.inbox}
	w.nodes = &nodes{hosts: w.hosts, observer: w.observer, election: w.election,
		successions: map[string]string{}}
	w.election.electors = w.nodes.electors
	w.links = &links{election: w.election, names: map[string]string{}}
	maps.Copy(w.observer.versions, cfg.Launcher.Versions())
	return w
}

// start starts everything. The workers start while the servers do.
func (w *Environment) start() error {
	if err := w.hosts.open(); err != nil {
		return err
	}
	if err := w.prepareStall(); err != nil {
		return err
	}
	spawned := make(chan error, 1)
	go func() { spawned <- w.clients.start() }()
	err := w.startServers()
	if e := <-spawned; err == nil {
		err = e
	}
	for _, next := range []func() error{w.probeCommands, w.probeClocks, w.configure} {
		if err == nil {
			err = next()
		}
	}
	return err
}

// prepareStall allows DEBUG SLEEP on the servers if the scenario uses it.
func (w *Environment) prepareStall() error {
	if !w.cfg.needs(nemesis.Stall, "") {
		return nil
	}
	v, err := w.cfg.Launcher.ServerVersion()
	if err == nil {
		w.cfg.RedisConfig = append(server.Debugging(v), w.cfg.RedisConfig...)
	}
	return err
}

// Name returns process, docker or external.
func (w *Environment) Name() string { return w.cfg.Launcher.Name() }

// Versions returns the versions of the servers and of everything else that answered, by name.
func (w *Environment) Versions() map[string]string { return w.observer.versions }

// Now reads the clock that all stamps come from.
func (w *Environment) Now() int64 { return proc.Monotonic() }

// Close ends every process and waits until all are gone. It may be called more than once.
func (w *Environment) Close() error {
	if !w.inbox.end() {
		return nil
	}
	closed := make(chan struct{})
	defer close(closed)
	go w.drain(closed)
	w.clients.close()
	w.observer.close()
	w.nodes.close()
	w.links.close()
	return w.hosts.close()
}

// closeAll calls f for each element in parallel, and waits for all.
func closeAll[T any](all []T, f func(T)) {
	var group sync.WaitGroup
	for _, x := range all {
		group.Go(func() { f(x) })
	}
	group.Wait()
}
