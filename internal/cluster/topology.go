package cluster

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"

	"github.com/lockbench/lockbench/nemesis"
)

// startServers starts the masters, the proxies, and then what replicates from them: a replica that
// starts before its master waits a second.
func (w *Environment) startServers() error {
	if err := w.startFirst(); err != nil {
		return err
	}
	var err error
	if w.proxies, err = startProxies(w.host(100), w.site, w.cfg.Relay != nil); err != nil {
		return err
	}
	switch w.cfg.Topology {
	case nemesis.Failover:
		if err = w.startReplica(1, nodeName(1), w.nodes[0]); err == nil {
			err = w.replicate()
		}
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

// host is an address of this run's own network on loopback. Not every system has more than one;
// where the servers are elsewhere, one is enough.
func (w *Environment) host(i int) string {
	if w.site != nil {
		return "127.0.0.1"
	}
	return w.subnet + "." + strconv.Itoa(i)
}

// nodeName is the name of the i-th Redis of a topology in which masters count from 0.
func nodeName(i int) string { return "n" + strconv.Itoa(i) }

// node describes the i-th server. Its clock can be moved if the scenario wants that.
func (w *Environment) node(i int, name, replicaOf string) (NodeConfig, error) {
	c := NodeConfig{
		Name: name, Host: w.host(1 + i), Port: 20000 + rand.IntN(10000), Dir: filepath.Join(w.scratch,
			name),
		Log: w.log(name), ReplicaOf: replicaOf, Config: w.cfg.RedisConfig,
	}
	var err error
	if w.site != nil {
		err = c.Settle(w.site)
	}
	if err != nil || !needs(w.cfg.Scenario, nemesis.NodeClock, "") {
		return c, err
	}
	if c.Door != nil {
		c.Clock = &ServerClock{Path: c.Door.clockFile(), door: c.Door}
	} else if c.Clock, err = newServerClock(w.scratch, name); err != nil {
		return c, err
	}
	w.clocks[name] = c.Clock
	return c, nil
}

// startFirst looks for an address where nobody listens.
func (w *Environment) startFirst() (err error) {
	for range startTries {
		w.subnet = fmt.Sprintf("127.%d.%d", 2+rand.IntN(250), rand.IntN(256))
		var n *Node
		if n, err = w.start(0, nodeName(0), ""); err != nil {
			return err // not installed, or nothing can be written: another address does not help
		}
		if err = n.Ready(); err == nil {
			w.nodes = append(w.nodes, n)
			return nil
		}
		n.Kill()
		if w.site != nil {
			return err // it was alone at its address
		}
	}
	return err
}

// startTries is how many addresses are tried: another program may listen on the first.
const startTries = 5

func (w *Environment) start(i int, name, replicaOf string) (*Node, error) {
	c, err := w.node(i, name, replicaOf)
	if err != nil {
		return nil, err
	}
	return w.launch(c)
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
	for _, n := range masters {
		if err := n.Ready(); err != nil {
			return err
		}
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

// startReplica starts a replica behind a proxy of its own.
func (w *Environment) startReplica(i int, name string, master *Node) error {
	addr, err := w.proxies.linkServers(master.Name+">"+name, master.NodeConfig)
	if err != nil {
		return err
	}
	n, err := w.start(i, name, addr)
	if err == nil {
		w.nodes = append(w.nodes, n)
	}
	return err
}

// replicate waits until every replica has all that its master has.
func (w *Environment) replicate() error {
	for _, n := range w.nodes {
		if err := n.Ready(); err != nil {
			return err
		}
	}
	for _, n := range w.nodes {
		if replicas := w.replicas(n); replicas > 0 {
			c := admin(n.Addr())
			err := barrier(c, replicas)
			c.Close()
			if err != nil {
				return fmt.Errorf("%s: %w", n.Name, err)
			}
		}
	}
	return nil
}

// replicas is how many a node was started with.
func (w *Environment) replicas(n *Node) int {
	switch {
	case w.cfg.Topology == nemesis.Independent && n.ReplicaOf == "":
		return w.cfg.Replicas
	case n == w.nodes[0] && w.cfg.Topology != nemesis.Independent:
		return len(w.nodes) - 1
	}
	return 0
}
