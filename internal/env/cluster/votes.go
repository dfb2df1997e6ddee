package cluster

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// An environment with a Redis Cluster has three masters, n0, n1 and n2, and a replica of each, n3,
// n4 and n5. A node has one address for all others, before which a fork chooses the link of the one
// that connects: "n0>n3" for a replica to its master, "b>n0,n1" for n0 to n1 over the bus. Clients
// map these addresses to links of their own (docs/environments.md, Cluster layout).
//
// The nodes find each other in their files of nodes. As with sentinels, they are patient until a
// fault hits a server, and again when one has been promoted.

// startVoters starts a cluster in the place of n0, which has only looked for a free address.
func (w *Environment) startVoters() error {
	first := w.nodes[0]
	w.nodes = nil
	first.operator.Close()
	first.Kill()
	configs, err := w.describeVoters()
	if err != nil {
		return err
	}
	for i, c := range configs {
		n, err := w.launch(c)
		if err != nil {
			return err
		}
		if i >= nemesis.ClusterMasters {
			n.follows = w.nodes[i-nemesis.ClusterMasters]
		}
		w.nodes = append(w.nodes, n)
	}
	if err := ready(w.nodes); err != nil {
		return err
	}
	for _, n := range w.nodes {
		if err := agreed(n); err != nil {
			return err
		}
	}
	return nil
}

// describeVoters gives each node its addresses, its identity and its slots.
func (w *Environment) describeVoters() (nodes []server.NodeConfig, err error) {
	for i := range 2 * nemesis.ClusterMasters {
		c, err := w.describe(i, nodeName(i), "")
		if err != nil {
			return nil, err
		}
		c.Said = func(line string) { w.voted(c.Name, line) }
		nodes = append(nodes, c)
	}
	members := make([]server.Member, len(nodes))
	ranges := server.Slots(nemesis.ClusterMasters, w.cfg.Worker.Keys[0])
	for i, c := range nodes {
		m := &members[i]
		id := make([]byte, 20)
		rand.Read(id)
		m.ID, m.All = hex.EncodeToString(id), &members
		if i < nemesis.ClusterMasters {
			m.First, m.Last = ranges[i][0], ranges[i][1]
		} else {
			m.Of = members[i-nemesis.ClusterMasters].ID
		}
		if m.Data, err = w.fork(nodes, c.Own(), func(from string) string {
			return c.Name + ">" + from
		}); err != nil {
			return nil, err
		}
		bus := net.JoinHostPort(c.Host, fmt.Sprint(c.Port+busPorts))
		if m.Bus, err = w.fork(nodes, bus, func(from string) string {
			return nemesis.Bus(from, c.Name)
		}); err != nil {
			return nil, err
		}
		w.announced[m.Data] = c.Name
	}
	for i := range nodes {
		nodes[i].Kind = members[i]
	}
	return nodes, nil
}

// busPorts is how far the port of a node's bus is from that for clients.
const busPorts = 10_000

// forkHost is the last number of the address at which forks listen.
const forkHost = 101

// fork makes an address before a server's own, with a link for each other server, by its name.
func (w *Environment) fork(nodes []server.NodeConfig, to string, name func(from string) string) (
	addr string, err error) {
	links := map[string]string{}
	for _, from := range nodes {
		if host, _, _ := net.SplitHostPort(to); host == from.Host {
			continue
		}
		if links[from.Host], err = w.links.LinkServers(name(from.Name), to); err != nil {
			return "", err
		}
	}
	return w.links.Fork(net.JoinHostPort(w.host(forkHost), "0"), proxy.ByHost(links))
}

// agreed waits until a node can be used: two seconds, which a master keeps quiet after its start.
func agreed(n *node) error {
	m, limit := n.operator.(server.MemberAdmin), time.Now().Add(2*server.Patience)
	for {
		why := m.Agrees()
		if why == "" {
			return nil
		}
		if time.Now().After(limit) {
			return fmt.Errorf("%s is no node of the cluster after %v: %s", n.Name, 2*server.Patience, why)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// voted learns from what a node says that it is promoted, and reports it.
func (w *Environment) voted(name, line string) {
	switch {
	case strings.Contains(line, "Starting a failover election"):
		w.promoted(history.PhaseFrom, name)
	case strings.Contains(line, "Failover election won"):
		w.promoted(history.PhaseTo, name)
		go func() { _ = w.alarm(false) }() // a node that cannot be told may be gone
	}
}

// MoveSlot moves the slot of the run's first key to another master.
func (w *Environment) MoveSlot(name string) error {
	key := w.cfg.Worker.Keys[0]
	return w.on(name, func(to *node) error {
		there, err := can[server.MemberAdmin](to)
		if err != nil {
			return err
		}
		for _, n := range w.nodes[:nemesis.ClusterMasters] {
			if has, ok := n.operator.(server.MemberAdmin); ok && n != to && has.Serves(key) {
				return has.Give(key, there, to.Host, to.Port)
			}
		}
		return fmt.Errorf("no master has the slot of %q", key)
	})
}

// proveSlot fails if a master is not asked for the run's first key.
func (w *Environment) proveSlot(name string) error {
	return w.on(name, func(n *node) error {
		m, err := can[server.MemberAdmin](n)
		if err == nil && !m.Serves(w.cfg.Worker.Keys[0]) {
			err = fmt.Errorf("%s: it has not the slot", name)
		}
		return err
	})
}

// SwitchOver makes a replica a master with the consent of the present one, and returns when that
// has begun.
func (w *Environment) SwitchOver(name string) error {
	if len(w.watchers) > 0 {
		return redisOf(w.watchers[0]).SwitchOver()
	}
	return w.on(name, func(n *node) error {
		return asks(n, switcher.SwitchOver)
	})
}
