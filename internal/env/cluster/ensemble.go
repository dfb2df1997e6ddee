package cluster

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// An environment with an ensemble has three servers that agree on every write, n0, n1 and n2, of
// which n0 leads at first. Each has a link of its own to each other, "b>n0,n1" for n0 to n1. Those
// of some systems can be told an address for each other one. Those of etcd know each by one
// address, as in a Redis Cluster, and all connect from the same: the fork before it asks the kernel
// which process has the other end (docs/environments.md, Ensemble layout).

// ensemble is what forks and the outputs of servers need to know while the loop is busy.
type ensemble struct {
	running sync.Map    // the local servers, by name
	settled atomic.Bool // the first of them leads; the next one that leads was elected
}

// local is a server that is a process of this machine, be it in a container. Pid waits until it is
// there.
type local interface{ Pid() int }

// started notes which process a server is now.
func (e *ensemble) started(name string, s server.Server) {
	if p, ok := s.(local); ok {
		e.running.Store(name, p)
	}
}

// forkHosts is the last number of the first address before a member of an ensemble.
const forkHosts = 110

// startEnsemble starts two servers, sees to it that the first leads, and starts the third: of
// those that find no leader any one may win.
func (w *Environment) startEnsemble() error {
	configs, err := w.describeEnsemble()
	if err != nil {
		return err
	}
	for i, c := range configs {
		if i == nemesis.EnsembleNodes-1 {
			if err := w.leads(w.nodes[0]); err != nil {
				return err
			}
		}
		n, err := w.launch(c)
		if err != nil {
			return err
		}
		w.nodes = append(w.nodes, n)
	}
	if err := ready(w.nodes); err != nil {
		return err
	}
	w.election.begun, w.election.master = w.nodes[0].Name, w.nodes[0].Name
	w.ensemble.settled.Store(true)
	return nil
}

// describeEnsemble gives each member its addresses and its ways to the others.
func (w *Environment) describeEnsemble() (nodes []server.NodeConfig, err error) {
	kind, ok := w.cfg.System.(server.Gatherer)
	if !ok {
		return nil, fmt.Errorf("its servers make no ensemble")
	}
	var all []server.Fellow
	for i := range nemesis.EnsembleNodes {
		c, err := w.describe(i, nodeName(i), "")
		if err != nil {
			return nil, err
		}
		c.Said = func(line string) { w.elected(kind, c.Name, line) }
		nodes = append(nodes, c)
		all = append(all, server.Fellow{Name: c.Name, Host: c.Host, Port: c.Port})
	}
	for i := range nodes {
		if err := w.ways(kind, all, i); err != nil {
			return nil, err
		}
	}
	for i := range nodes {
		nodes[i].Kind = kind.Member(all, i)
	}
	return nodes, nil
}

// ways makes those from the others to a member, for each of its ports.
func (w *Environment) ways(kind server.Gatherer, all []server.Fellow, i int) error {
	to := &all[i]
	shared := w.host(forkHosts + nemesis.EnsembleNodes*i)
	to.Ways = map[string]string{to.Name: shared}
	for k, further := range kind.PeerPorts() {
		port, links := strconv.Itoa(to.Port+further), map[string]string{}
		for j, from := range all {
			if j == i {
				continue
			}
			link, err := w.links.LinkServers(member(from, *to, k), net.JoinHostPort(to.Host, port))
			if err != nil {
				return err
			}
			to.Ways[from.Name], links[from.Name] = shared, link
			if kind.Apart() {
				to.Ways[from.Name] = w.host(forkHosts + nemesis.EnsembleNodes*i + j)
				err = w.way(kind, to, from.Name, k, proxy.Always(link))
			}
			if err != nil {
				return err
			}
		}
		if kind.Apart() {
			continue
		}
		if err := w.way(kind, to, to.Name, k, w.ensemble.choose(links)); err != nil {
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

// way makes the k-th one to a member, at the host that another has for it. It waits with a
// connection until the server listens, if not for long: a proxy takes all connections, and the end
// of one is not the same as its refusal. A follower of ZooKeeper tries again after a refusal, and
// gives its leader up after an end.
func (w *Environment) way(kind server.Gatherer, to *server.Fellow, from string, k int,
	choose proxy.Choice) error {
	port := strconv.Itoa(to.Port + kind.PeerPorts()[k])
	server, err := netip.ParseAddrPort(net.JoinHostPort(to.Host, port))
	if err != nil {
		return err
	}
	wait := func(from net.Addr) (net.Conn, error) {
		for limit := time.Now().Add(time.Second); !proc.Listening(server) &&
			time.Now().Before(limit); {
			time.Sleep(10 * time.Millisecond)
		}
		c, err := choose(from)
		if err != nil {
			return nil, err
		}
		return kind.Way(k, c), nil
	}
	_, err = w.links.Fork(net.JoinHostPort(to.Ways[from], port), wait)
	return err
}

// choose is the way of the server that connects; links are by the names of servers.
func (e *ensemble) choose(links map[string]string) proxy.Choice {
	return func(from net.Addr) (net.Conn, error) {
		link, pids := map[int]string{}, []int(nil)
		for name, to := range links {
			if p, known := e.running.Load(name); known {
				pid := p.(local).Pid()
				link[pid], pids = to, append(pids, pid)
			}
		}
		if tcp, ok := from.(*net.TCPAddr); ok {
			if pid, found := proc.Owner(tcp.AddrPort(), pids); found {
				return net.Dial("tcp", link[pid])
			}
		}
		return nil, fmt.Errorf("%s is no server of this run", from)
	}
}

// leader is a member of an ensemble that can be asked whether it leads.
type leader interface{ Leads() (bool, error) }

// leads waits until a member leads the ensemble. Where another does it is told to hand over, if it
// can be told.
func (w *Environment) leads(n *node) error {
	if err := ready(w.nodes); err != nil {
		return err
	}
	m, err := can[leader](n)
	if err != nil {
		return err
	}
	for limit := time.Now().Add(2 * server.Patience); ; time.Sleep(5 * time.Millisecond) {
		yes, err := m.Leads()
		if yes && err == nil {
			return nil
		}
		if err == nil {
			if s, ok := n.operator.(switcher); ok {
				_ = s.SwitchOver() // perhaps none leads yet: it is told again
			}
		}
		if time.Now().After(limit) {
			return fmt.Errorf("%s does not lead its ensemble after %v (%v)", n.Name, 2*server.Patience, err)
		}
	}
}

// elected learns from what a member says that it leads, and reports it.
func (w *Environment) elected(kind server.Gatherer, name, line string) {
	if kind.Leads(line) && w.ensemble.settled.Load() {
		w.promoted(history.PhaseFrom, name)
		w.promoted(history.PhaseTo, name)
	}
}
