package cluster

import (
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// clusterLayout is a Redis Cluster with three masters, n0, n1 and n2, and a replica of each, n3, n4
// and n5. A node has one address for all others. A fork at this address chooses the link by the
// node that connects: "n0>n3" for a replica to its master, "b>n0,n1" for n0 to n1 over the bus.
// Clients map these addresses to links of their own (docs/running.md, Cluster layout).
//
// The nodes find each other in their files of nodes. As with sentinels, they are patient until a
// fault hits a server, and again when one has been promoted.
type clusterLayout struct{ site }

// start starts a cluster that replaces n0. The first n0 only served to find a free address.
func (l clusterLayout) start() error {
	first := l.nodes.all[0]
	l.nodes.all = nil
	first.operator.Close()
	first.Kill()
	configs, err := l.describe()
	if err != nil {
		return err
	}
	for i, c := range configs {
		n, err := l.launch(c)
		if err != nil {
			return err
		}
		var master *node
		if i >= nemesis.ClusterMasters {
			master = l.nodes.all[i-nemesis.ClusterMasters]
		}
		l.nodes.add(n, master)
	}
	if err := ready(l.nodes.all); err != nil {
		return err
	}
	for _, n := range l.nodes.all {
		if err := agreed(n); err != nil {
			return err
		}
	}
	return nil
}

// describe gives each node its addresses, its identity and its slots.
func (l clusterLayout) describe() (nodes []server.NodeConfig, err error) {
	for i := range 2 * nemesis.ClusterMasters {
		c, err := l.site.describe(i, nodeName(i), "")
		if err != nil {
			return nil, err
		}
		c.Said = func(line string) { l.observe(c.Name, line) }
		nodes = append(nodes, c)
	}
	members := make([]server.Member, len(nodes))
	ranges := server.Slots(nemesis.ClusterMasters, l.cfg.Worker.Keys[0])
	for i, c := range nodes {
		m := &members[i]
		m.ID, m.All = randomID(), &members
		if i < nemesis.ClusterMasters {
			m.First, m.Last = ranges[i][0], ranges[i][1]
		} else {
			m.Of = members[i-nemesis.ClusterMasters].ID
		}
		if m.Data, err = l.fork(nodes, c.OwnAddr(), func(from string) string {
			return c.Name + ">" + from
		}); err != nil {
			return nil, err
		}
		bus := net.JoinHostPort(c.Host, fmt.Sprint(c.Port+busPorts))
		if m.Bus, err = l.fork(nodes, bus, func(from string) string {
			return nemesis.Bus(from, c.Name)
		}); err != nil {
			return nil, err
		}
		l.links.names[m.Data] = c.Name
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
func (l clusterLayout) fork(nodes []server.NodeConfig, to string, name func(from string) string) (
	addr string, err error) {
	links := map[string]string{}
	for _, from := range nodes {
		if host, _, _ := net.SplitHostPort(to); host == from.Host {
			continue
		}
		if links[from.Host], err = l.links.proxies.LinkServers(name(from.Name), to); err != nil {
			return "", err
		}
	}
	return l.links.proxies.Fork(net.JoinHostPort(l.host(forkHost), "0"), proxy.ByHost(links))
}

// await waits until a node lacks nothing. The format of the error has places for the name of the
// node, the patience, and what it lacks.
func (n *node) await(patience time.Duration, format string, lacks func() string) error {
	why := ""
	if proc.Await(patience, 5*time.Millisecond, func() bool {
		why = lacks()
		return why == ""
	}) {
		return nil
	}
	return server.SlowError{Err: fmt.Errorf(format, n.Name, patience, why)}
}

// agreed waits until a node can be used: two seconds, which a master keeps quiet after its start.
func agreed(n *node) error {
	return n.await(2*server.Patience, "%s did not join the cluster within %v: %s",
		n.operator.(server.MemberAdmin).Agrees)
}

// observe reads in the messages of a node that it is promoted, and reports it.
func (l clusterLayout) observe(name, line string) {
	switch {
	case strings.Contains(line, "Starting a failover election"):
		l.election.promoted(history.PhaseFrom, name)
	case strings.Contains(line, "Failover election won"):
		l.election.promoted(history.PhaseTo, name)
		l.election.relax()
	}
}
