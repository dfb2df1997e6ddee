package cluster

import (
	"fmt"

	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// configure gives every worker its links and waits until all are connected. A worker that is
// launched later keeps its order until then.
func (w *Environment) configure() error {
	for i, c := range w.clients.all {
		cfg, err := w.workerConfig(i)
		if err != nil {
			return err
		}
		c.send(workloads.Order{Do: workloads.DoConfig, Config: &cfg})
	}
	return w.clients.awaitReady(w.clients.patience(), w.observer.versions)
}

// workerConfig makes the links of a worker and returns its configuration.
func (w *Environment) workerConfig(i int) (workloads.Config, error) {
	first, cfg := w.nodes.all[0], w.cfg.Worker.ForClient(i)
	cfg.Seed, cfg.Master = w.cfg.Seed+uint64(i)+1, first.Name
	cfg.Secret = first.Secret
	cfg.Announced, cfg.Cluster = w.names, w.cfg.Topology == nemesis.Cluster
	var err error
	if cfg.Nodes, err = w.linksToNodes(fmt.Sprintf("c%d>", i)); err != nil {
		return cfg, err
	}
	if cfg.Sentinels, err = w.linksToSentinels(i); err != nil {
		return cfg, err
	}
	cfg.Peers = w.peers
	if w.cfg.needs(nemesis.Redirect, nemesis.Spare) {
		cfg.Spares, err = w.linksToNodes(fmt.Sprintf("c%d+>", i))
	}
	return cfg, err
}

// linksToNodes makes a link to every node. It returns them in the form of Config.Nodes: independent
// masters one by one, a master and its replicas together.
func (w *Environment) linksToNodes(prefix string) (addrs []map[string]string, err error) {
	for i, n := range w.nodes.all {
		addr, err := w.link(prefix+n.Name, n)
		if err != nil {
			return nil, err
		}
		group := 0
		if w.cfg.Topology == nemesis.Independent {
			group = i % w.cfg.Masters // the replicas come after the masters, in their order
		}
		if group == len(addrs) {
			addrs = append(addrs, map[string]string{})
		}
		addrs[group][n.Name] = addr
	}
	return addrs, nil
}

// link makes a client's link to a node and returns its address.
func (w *Environment) link(name string, n *node) (string, error) {
	if w.cfg.Relay == nil {
		return w.proxies.Link(name, w.entrance(n))
	}
	addr, err := w.cfg.Relay.Relay(name, n.Addr())
	if err != nil {
		return "", err
	}
	return w.proxies.LinkHere(name, addr)
}

func (w *Environment) linksToSentinels(client int) (addrs []string, err error) {
	for _, s := range w.sentinels {
		addr, err := w.proxies.Link(fmt.Sprintf("c%d>%s", client, s.Name), s.OwnAddr())
		if err != nil {
			return nil, err
		}
		addrs = append(addrs, addr)
	}
	return addrs, nil
}
