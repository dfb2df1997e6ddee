package cluster

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// ensembleLayout has three servers that agree on every write, n0, n1 and n2. At first n0 leads.
// Each has a link of its own to each other, "b>n0,n1" for n0 to n1. The servers of some systems
// accept an address for each other one. Those of etcd know each other by one address, as in a Redis
// Cluster, and all connect from the same host. There a fork asks the kernel which process has the
// other end (docs/running.md, Ensemble layout).
type ensembleLayout struct {
	site
	kind    server.Gatherer
	settled atomic.Bool // the first server leads, and the next one that leads was elected
}

// forkHosts is the last number of the first address before a member of an ensemble.
const forkHosts = 110

// start starts two servers, makes sure that the first leads, and starts the third: among servers
// that find no leader any may win.
func (l *ensembleLayout) start() error {
	configs, err := l.describe()
	if err != nil {
		return err
	}
	for i, c := range configs {
		if i == nemesis.EnsembleNodes-1 {
			if err := ready(l.nodes.all); err != nil {
				return err
			}
			if err := awaitLeader(l.nodes.all[0]); err != nil {
				return err
			}
		}
		n, err := l.launch(c)
		if err != nil {
			return err
		}
		l.nodes.add(n, nil)
	}
	if err := ready(l.nodes.all); err != nil {
		return err
	}
	if err := awaitLeader(l.nodes.all[0]); err != nil { // on a busy machine the third may unseat it
		return err
	}
	l.election.lead(l.nodes.all[0].Name)
	l.settled.Store(true)
	return nil
}

// describe gives each member its addresses and its links to the others.
func (l *ensembleLayout) describe() (configs []server.NodeConfig, err error) {
	var ok bool
	if l.kind, ok = l.cfg.System.(server.Gatherer); !ok {
		return nil, fmt.Errorf("its servers make no ensemble")
	}
	var all []server.Fellow
	for i := range nemesis.EnsembleNodes {
		c, err := l.site.describe(i, nodeName(i), "")
		if err != nil {
			return nil, err
		}
		c.Said = func(line string) { l.observe(c.Name, line) }
		configs = append(configs, c)
		all = append(all, server.Fellow{Name: c.Name, Host: c.Host, Port: c.Port})
	}
	for i := range configs {
		if err := l.linkTo(all, i); err != nil {
			return nil, err
		}
	}
	for i := range configs {
		configs[i].Kind = l.kind.Member(all, i)
	}
	return configs, nil
}

// linkTo makes the links from the others to a member, for each of its ports.
func (l *ensembleLayout) linkTo(all []server.Fellow, i int) error {
	to := &all[i]
	shared := l.host(forkHosts + nemesis.EnsembleNodes*i)
	to.Ways = map[string]string{to.Name: shared}
	for k, further := range l.kind.PeerPorts() {
		port, links := strconv.Itoa(to.Port+further), map[string]string{}
		for j, from := range all {
			if j == i {
				continue
			}
			link, err := l.links.proxies.LinkServers(member(from, *to, k), net.JoinHostPort(to.Host, port))
			if err != nil {
				return err
			}
			to.Ways[from.Name], links[from.Name] = shared, link
			if l.kind.SeparateViews() {
				to.Ways[from.Name] = l.host(forkHosts + nemesis.EnsembleNodes*i + j)
				err = l.listen(to, from.Name, k, proxy.Always(link))
			}
			if err != nil {
				return err
			}
		}
		if l.kind.SeparateViews() {
			continue
		}
		if err := l.listen(to, to.Name, k, l.choose(links)); err != nil {
			return err
		}
	}
	return nil
}

// member names the link from a member to the k-th port of another.
func member(from, to server.Fellow, k int) string {
	if k == 0 {
		return nemesis.Bus(from.Name, to.Name)
	}
	return nemesis.Bus(from.Name, to.Name) + "+" + strconv.Itoa(k)
}

// listen opens the k-th port of a member, at the host that another member has for it. It connects
// when the server listens, or after a moment. A proxy would accept a connection that the server
// refuses, and then end it: a follower of ZooKeeper tries again after a refusal, and gives its
// leader up after an end.
func (l *ensembleLayout) listen(to *server.Fellow, from string, k int, choose proxy.Reach) error {
	port := strconv.Itoa(to.Port + l.kind.PeerPorts()[k])
	server, err := netip.ParseAddrPort(net.JoinHostPort(to.Host, port))
	if err != nil {
		return err
	}
	connect := func(from net.Addr) (net.Conn, error) {
		awaitListener(server)
		c, err := choose(from)
		if err != nil {
			return nil, err
		}
		return l.kind.WrapConn(k, c), nil
	}
	_, err = l.links.proxies.Fork(net.JoinHostPort(to.Ways[from], port), connect)
	return err
}

// choose chooses the link of the server that connects. The links are by the names of servers.
func (l *ensembleLayout) choose(links map[string]string) proxy.Reach {
	servers := slices.Collect(maps.Keys(links))
	return func(from net.Addr) (net.Conn, error) {
		name, err := l.owner(from, servers)
		if err != nil {
			return nil, err
		}
		return net.Dial("tcp", links[name])
	}
}

// leader is a member of an ensemble that can be asked whether it leads.
type leader interface{ Leads() (bool, error) }

// awaitLeader waits until a member leads the ensemble. It asks another that leads to hand over, if
// the system can do that.
func awaitLeader(n *node) error {
	m, err := can[leader](n)
	if err != nil {
		return err
	}
	return n.await(2*server.Patience, "%s does not lead its ensemble after %v (%s)", func() string {
		leads, err := m.Leads()
		if leads && err == nil {
			return ""
		}
		if s, ok := n.operator.(switcher); ok && err == nil {
			_ = s.SwitchOver() // perhaps none leads yet: await asks again
		}
		return fmt.Sprint(err)
	})
}

// observe reads in the messages of a member that it leads, and reports it.
func (l *ensembleLayout) observe(name, line string) {
	if l.kind.Leads(line) && l.settled.Load() {
		l.election.promoted(history.PhaseFrom, name)
		l.election.promoted(history.PhaseTo, name)
	}
}
