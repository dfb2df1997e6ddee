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

func (w *Environment) layout() layout {
	switch s := w.site(); w.cfg.Topology {
	case nemesis.Sentinel:
		return sentinelLayout{s}
	case nemesis.Cluster:
		return clusterLayout{s}
	case nemesis.Ensemble:
		return &ensembleLayout{site: s}
	default:
		return plainLayout{s}
	}
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
	if err := w.layout().start(); err != nil {
		return err
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

// plainLayout has one master, or several that know nothing of each other, and their replicas or
// none. The harness promotes a replica.
type plainLayout struct{ site }

// start starts the other masters in parallel, and then the replicas. It waits until every replica
// has all that its master has.
func (l plainLayout) start() error {
	g := nemesis.Layout{Topology: l.cfg.Topology, Masters: l.cfg.Masters, Replicas: l.cfg.Replicas}
	masters := g.MasterNames()
	for i := 1; i < len(masters); i++ {
		n, err := l.startNode(i, masters[i], "")
		if err != nil {
			return err
		}
		l.nodes.add(n, nil)
	}
	if err := ready(l.nodes.all[1:]); err != nil {
		return err
	}
	for i, r := range g.ReplicaPairs() {
		if err := l.nodes.on(r[1], func(master *node) error {
			return l.startReplica(len(masters)+i, r[0], master)
		}); err != nil {
			return err
		}
	}
	if err := ready(l.nodes.all[len(masters):]); err != nil {
		return err
	}
	if err := l.nodes.Barrier(); err != nil {
		return err
	}
	return l.linkReplicas(g)
}

// linkReplicas makes the links between replicas of one master. After a promotion, the other
// replicas use these links to follow the new master.
func (l plainLayout) linkReplicas(g nemesis.Layout) error {
	for _, p := range g.Successions() {
		name := p[0] + ">" + p[1]
		if err := l.nodes.on(p[0], func(of *node) (err error) {
			l.nodes.successions[name], err = l.links.proxies.LinkServers(name, of.OwnAddr())
			return err
		}); err != nil {
			return err
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
