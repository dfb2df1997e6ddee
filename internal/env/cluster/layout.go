package cluster

import (
	"fmt"
	"math/rand/v2"

	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
)

// layout starts the servers of a topology. The first server already runs.
type layout interface{ start() error }

// site has the parts that all layouts build with.
type site struct {
	cfg *Config
	*hosts
	links    *links
	nodes    *nodes
	election *election
}

func (w *Environment) site() site {
	return site{cfg: w.cfg, hosts: w.hosts, links: w.links, nodes: w.nodes, election: w.election}
}

// layout returns the layout of the topology, or nil if the first server is all of it.
func (w *Environment) layout() layout {
	switch s := w.site(); w.cfg.Topology {
	case nemesis.Failover:
		return failoverLayout{s}
	case nemesis.Independent:
		return independentLayout{s}
	case nemesis.Sentinel:
		return sentinelLayout{s}
	case nemesis.Cluster:
		return clusterLayout{s}
	case nemesis.Ensemble:
		return &ensembleLayout{site: s}
	}
	return nil
}

// startServers starts the masters, the proxies, and then the replicas: a replica that starts before
// its master waits a second.
func (w *Environment) startServers() error {
	if err := w.site().startFirst(); err != nil {
		return err
	}
	var err error
	w.proxies, err = proxy.Start(w.hosts.host(100), w.hosts.remote, w.cfg.Relay != nil)
	if err != nil {
		return err
	}
	if l := w.layout(); l != nil {
		if err := l.start(); err != nil {
			return err
		}
	}
	for _, n := range w.nodes.all {
		if err := w.observer.observe(n); err != nil {
			return err
		}
	}
	return w.startFronts()
}

// startTries is how many addresses startFirst tries: another program may listen on the first.
const startTries = 5

// startFirst starts the first server, at an address that is free.
func (s site) startFirst() (err error) {
	for range startTries {
		s.hosts.subnet = fmt.Sprintf("127.%d.%d", 2+rand.IntN(250), rand.IntN(256))
		if s.cfg.Topology == nemesis.Ensemble {
			return nil // its servers wait for each other
		}
		var n *node
		if n, err = s.startNode(0, nodeName(0), ""); err != nil {
			return err // not installed, or nothing can be written: another address does not help
		}
		if err = n.Ready(); err == nil {
			s.nodes.add(n, nil)
			return nil
		}
		n.Kill()
	}
	return err
}

func (s site) startNode(i int, name, replicaOf string) (*node, error) {
	c, err := s.describe(i, name, replicaOf)
	if err != nil {
		return nil, err
	}
	return s.launch(c)
}

// startReplica starts a replica that reaches its master through a proxy of its own.
func (s site) startReplica(i int, name string, master *node) error {
	addr, err := s.links.proxies.LinkServers(master.Name+">"+name, master.OwnAddr())
	if err != nil {
		return err
	}
	n, err := s.startNode(i, name, addr)
	if err == nil {
		s.nodes.add(n, master)
	}
	return err
}

// replicate waits until every replica has all that its master has.
func (s site) replicate() error {
	if err := ready(s.nodes.all); err != nil {
		return err
	}
	return s.nodes.Barrier()
}

// independentLayout has several masters, and a replica of each or none.
type independentLayout struct{ site }

// start starts the other masters in parallel, and then the replicas.
func (l independentLayout) start() error {
	for i := 1; i < l.cfg.Masters; i++ {
		n, err := l.startNode(i, nodeName(i), "")
		if err != nil {
			return err
		}
		l.nodes.add(n, nil)
	}
	masters := l.nodes.all
	if err := ready(masters); err != nil {
		return err
	}
	if l.cfg.Replicas == 0 {
		return nil
	}
	for i, m := range masters {
		if err := l.startReplica(l.cfg.Masters+i, nemesis.Replica(i), m); err != nil {
			return err
		}
	}
	return l.replicate()
}

// failoverLayout has one master and its replicas. The harness promotes one of them.
type failoverLayout struct{ site }

// start starts the replicas in parallel, and makes the links between them. After a promotion, the
// other replicas use these links to follow the new master.
func (l failoverLayout) start() error {
	for i := range max(l.cfg.Replicas, 1) {
		if err := l.startReplica(1+i, nodeName(1+i), l.nodes.all[0]); err != nil {
			return err
		}
	}
	if err := l.replicate(); err != nil {
		return err
	}
	replicas := l.nodes.all[1:]
	for _, to := range replicas {
		for _, of := range replicas {
			if of == to {
				continue
			}
			name := of.Name + ">" + to.Name
			addr, err := l.links.proxies.LinkServers(name, of.OwnAddr())
			if err != nil {
				return err
			}
			l.nodes.successions[name] = addr
		}
	}
	return nil
}

// startFronts starts a server before each node, if the system of the nodes has one.
func (w *Environment) startFronts() error {
	for _, n := range w.nodes.all {
		c, ok := server.FrontOf(n.NodeConfig)
		if !ok {
			return nil
		}
		f, err := w.hosts.launch(c)
		if err != nil {
			return err
		}
		w.fronts = append(w.fronts, f)
	}
	if err := ready(w.fronts); err != nil {
		return err
	}
	for _, f := range w.fronts {
		if err := w.observer.version(f, f.Kind.Name()); err != nil {
			return err
		}
		go w.observer.guard(f.Name, f.Server)
	}
	return nil
}

// entrance returns the address at which clients reach a node: its front's address, or its own.
func (w *Environment) entrance(n *node) string {
	for i, f := range w.fronts {
		if w.nodes.all[i] == n {
			return f.OwnAddr()
		}
	}
	return n.OwnAddr()
}
