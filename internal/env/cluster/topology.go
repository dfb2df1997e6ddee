package cluster

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"

	"github.com/lockbench/lockbench/internal/env/cluster/clock"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
)

// startServers starts the masters, the proxies, and then what replicates from them: a replica that
// starts before its master waits a second.
func (w *Environment) startServers() error {
	if err := w.startFirst(); err != nil {
		return err
	}
	var err error
	if w.links, err = proxy.Start(w.host(100), w.remote, w.cfg.Relay != nil); err != nil {
		return err
	}
	switch w.cfg.Topology {
	case nemesis.Failover:
		err = w.startReplicas()
	case nemesis.Independent:
		err = w.startOthers()
	case nemesis.Sentinel:
		err = w.startSentinels()
	case nemesis.Cluster:
		err = w.startVoters()
	case nemesis.Ensemble:
		err = w.startEnsemble()
	}
	for i := 0; err == nil && i < len(w.nodes); i++ {
		err = w.observe(w.nodes[i])
	}
	if err == nil {
		err = w.startFronts()
	}
	return err
}

// host is an address of this run's own network on loopback.
func (w *Environment) host(i int) string { return w.subnet + "." + strconv.Itoa(i) }

// nodeName is the name of the i-th Redis of a topology in which masters count from 0.
func nodeName(i int) string { return "n" + strconv.Itoa(i) }

// describe describes the i-th server. Its clock can be moved if the scenario wants that.
func (w *Environment) describe(i int, name, replicaOf string) (server.NodeConfig, error) {
	c := server.NodeConfig{
		Name: name, Host: w.host(1 + i), Port: 20000 + rand.IntN(10000),
		Dir: filepath.Join(w.scratch.Path, name), Log: w.log(name),
		ReplicaOf: replicaOf, Config: w.cfg.RedisConfig, Kind: w.cfg.System,
		CannotWrite: func(line string) { w.broke(name, "its disk cannot be written: "+line) },
	}
	switch w.cfg.Topology {
	case nemesis.Failover, nemesis.Sentinel, nemesis.Cluster:
		c.Followed = true
	}
	var err error
	if w.remote != nil {
		err = c.Beside(w.remote)
	}
	if err != nil || !needs(w.cfg.Scenario, nemesis.NodeClock, "") &&
		!needs(w.cfg.Scenario, nemesis.StopClock, "") {
		return c, err
	}
	if w.remote != nil {
		c.Clock, err = w.remote.Clock(name)
	} else {
		c.Clock, err = clock.New(w.scratch.Path, name)
	}
	return c, err
}

// startFirst looks for an address that is free.
func (w *Environment) startFirst() (err error) {
	for range startTries {
		w.subnet = fmt.Sprintf("127.%d.%d", 2+rand.IntN(250), rand.IntN(256))
		if w.cfg.Topology == nemesis.Ensemble {
			return nil // its servers wait for each other
		}
		var n *node
		if n, err = w.start(0, nodeName(0), ""); err != nil {
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

// startTries is how many addresses are tried: another program may listen on the first.
const startTries = 5

func (w *Environment) start(i int, name, replicaOf string) (*node, error) {
	c, err := w.describe(i, name, replicaOf)
	if err != nil {
		return nil, err
	}
	return w.launch(c)
}

// settler is a server that says how it can be asked.
type settler interface{ Settle(*server.NodeConfig) }

// launch starts a server.
func (w *Environment) launch(c server.NodeConfig) (*node, error) {
	s, err := w.cfg.Launcher.Launch(c)
	if err != nil {
		return nil, err
	}
	if own, ok := s.(settler); ok {
		own.Settle(&c)
	}
	w.ensemble.started(c.Name, s)
	return &node{Node: server.Node{NodeConfig: c, Server: s}, operator: operate(c)}, nil
}

// ready waits until nodes can be used.
func ready(nodes []*node) error {
	for _, n := range nodes {
		if err := n.Ready(); err != nil {
			return err
		}
	}
	return nil
}

// startOthers starts the other independent masters side by side, and then their replicas, if they
// have any.
func (w *Environment) startOthers() error {
	for i := 1; i < w.cfg.Masters; i++ {
		n, err := w.start(i, nodeName(i), "")
		if err != nil {
			return err
		}
		w.nodes = append(w.nodes, n)
	}
	masters := w.nodes
	if err := ready(masters); err != nil {
		return err
	}
	if w.cfg.Replicas == 0 {
		return nil
	}
	for i, m := range masters {
		if err := w.startReplica(w.cfg.Masters+i, nemesis.Replica(i), m); err != nil {
			return err
		}
	}
	return w.replicate()
}

// startReplicas starts the replicas of the one master side by side, and makes the ways over which
// they follow the one that is promoted.
func (w *Environment) startReplicas() error {
	for i := range max(w.cfg.Replicas, 1) {
		if err := w.startReplica(1+i, nodeName(1+i), w.nodes[0]); err != nil {
			return err
		}
	}
	if err := w.replicate(); err != nil {
		return err
	}
	for _, to := range w.nodes[1:] {
		for _, of := range w.nodes[1:] {
			if of == to {
				continue
			}
			name := of.Name + ">" + to.Name
			addr, err := w.links.LinkServers(name, of.Own())
			if err != nil {
				return err
			}
			w.successions[name] = addr
		}
	}
	return nil
}

// startReplica starts a replica behind a proxy of its own.
func (w *Environment) startReplica(i int, name string, master *node) error {
	addr, err := w.links.LinkServers(master.Name+">"+name, master.Own())
	if err != nil {
		return err
	}
	n, err := w.start(i, name, addr)
	if err == nil {
		n.follows = master
		w.nodes = append(w.nodes, n)
	}
	return err
}

// replicate waits until every replica has all that its master has.
func (w *Environment) replicate() error {
	if err := ready(w.nodes); err != nil {
		return err
	}
	for _, n := range w.nodes {
		if replicas := w.replicas(n); replicas > 0 {
			err := asks(n, func(r replicator) error { return r.Barrier(replicas) })
			if err != nil {
				return fmt.Errorf("%s: %w", n.Name, err)
			}
		}
	}
	return nil
}

// replicas is how many a node was started with, or was given when it was promoted.
func (w *Environment) replicas(n *node) (all int) {
	for _, r := range w.nodes {
		if r.follows == n {
			all++
		}
	}
	return all
}
