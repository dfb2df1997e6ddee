package cluster

import (
	"fmt"
	"maps"
	"path/filepath"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

func (w *Environment) startClients() error {
	for i := range w.cfg.Clients {
		c, err := w.startClient(i)
		if err != nil {
			return err
		}
		w.clients = append(w.clients, c)
	}
	return nil
}

// configure gives every worker its proxies and waits until all are connected.
func (w *Environment) configure() error {
	for i, c := range w.clients {
		cfg := w.cfg.Worker
		cfg.Process, cfg.Seed, cfg.Master = i, w.cfg.Seed+uint64(i)+1, w.nodes[0].Name
		cfg.Secret = w.nodes[0].Secret
		var err error
		if cfg.Nodes, err = w.linksToNodes(fmt.Sprintf("c%d>", i)); err != nil {
			return err
		}
		if cfg.Sentinels, err = w.linksToSentinels(i); err != nil {
			return err
		}
		cfg.Announced, cfg.Cluster = w.announced, w.cfg.Topology == nemesis.Cluster
		if needs(w.cfg.Scenario, nemesis.Redirect, nemesis.Spare) {
			if cfg.Spares, err = w.linksToNodes(fmt.Sprintf("c%d+>", i)); err != nil {
				return err
			}
		}
		c.send(workloads.Order{Do: workloads.DoConfig, Config: &cfg})
	}
	patience := 4 * server.Patience // a container may be what starts
	if p, ok := w.cfg.Spawner.(interface{ Patience() time.Duration }); ok {
		patience = p.Patience()
	}
	limit := time.After(patience)
	for ready := 0; ready < len(w.clients); {
		select {
		case r := <-w.inbox:
			switch {
			case r.Ready != nil:
				ready++
				maps.Copy(w.versions, r.Ready.Versions)
			case r.Failed != "":
				return fmt.Errorf("worker %d: %s", r.Process, r.Failed)
			case r.Exit != nil:
				return fmt.Errorf("worker %d ended while it started (%s); see logs/c%d.log", r.Process,
					r.Exit.Err, r.Process)
			}
		case <-limit:
			return fmt.Errorf("%d of %d workers are ready after %v; see %s", ready, len(w.clients), patience,
				filepath.Dir(w.log("")))
		}
	}
	return nil
}

// linksToNodes makes a link to every node and returns them as Config.Nodes wants them: independent
// masters one by one, a master and its replicas together.
func (w *Environment) linksToNodes(prefix string) (addrs []map[string]string, err error) {
	for i, n := range w.nodes {
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
		return w.links.Link(name, w.entrance(n))
	}
	addr, err := w.cfg.Relay.Relay(name, n.Addr())
	if err != nil {
		return "", err
	}
	return w.links.LinkHere(name, addr)
}

// linksToSentinels makes a client's links to the sentinels.
func (w *Environment) linksToSentinels(client int) (addrs []string, err error) {
	for _, s := range w.watchers {
		addr, err := w.links.Link(fmt.Sprintf("c%d>%s", client, s.Name), s.Own())
		if err != nil {
			return nil, err
		}
		addrs = append(addrs, addr)
	}
	return addrs, nil
}
