package cluster

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"

	"github.com/lockbench/lockbench/nemesis"
)

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

// startTries is how many addresses are tried: another program may listen on the first.
const startTries = 5

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
