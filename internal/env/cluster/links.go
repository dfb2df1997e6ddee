package cluster

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
)

// links are the proxies between clients and nodes and between nodes, which carry out the faults of
// the network.
type links struct {
	proxies  *proxy.Links // or nil before they are started
	election *election
	names    map[string]string // names of nodes by their public address
	peers    []string          // public addresses of the sentinels, in their order
}

// publish makes the public address of a node.
func (l *links) publish(c server.NodeConfig) (string, error) {
	addr, err := l.proxies.LinkServers("s>"+c.Name, c.OwnAddr())
	if err == nil {
		l.names[addr] = c.Name
	}
	return addr, err
}

func (l *links) close() {
	if l.proxies != nil {
		l.proxies.Close()
	}
}

// each calls f for every link that a pattern names: "c2>n0", "c2>*", "*".
func (l *links) each(pattern string, f func(link string) error) error {
	found := false
	for _, name := range l.proxies.Names() {
		if ok, _ := path.Match(pattern, name); ok {
			found = true
			if err := f(name); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("there is no link %q", pattern)
	}
	return nil
}

// inject is each for a fault: sentinels watch closely if it hits a link of theirs.
func (l *links) inject(link string, f func(string) error) error {
	if !strings.HasPrefix(link, "c") {
		if err := l.election.alarm(true); err != nil {
			return err
		}
	}
	return l.each(link, f)
}

func (l *links) toxic(link, kind, mode string, a proxy.Attributes) error {
	return l.inject(link, func(name string) error { return l.proxies.Toxic(name, kind, mode, a) })
}

// Cut makes links drop data. Connections stay, new ones can be made, and each end notices if the
// other closes: the proxy passes FIN and RST.
func (l *links) Cut(link, mode string) error {
	return l.toxic(link, "timeout", mode, proxy.Attributes{"timeout": 0})
}

// forever is longer than any run.
const forever = time.Hour

// HoldBack keeps everything that is sent over links until Heal delivers it, even if the sender has
// given up and closed the connection.
func (l *links) HoldBack(link, mode string) error {
	return l.toxic(link, proxy.Late, mode, proxy.Attributes{"latency": forever.Milliseconds()})
}

// Delay delivers everything that is sent over links, requests and replies, d later.
func (l *links) Delay(link string, d time.Duration) error {
	return l.toxic(link, proxy.Late, nemesis.Both, proxy.Attributes{"latency": d.Milliseconds()})
}

// Reset resets connections as soon as something is sent over them.
func (l *links) Reset(link string) error {
	return l.toxic(link, "reset_peer", nemesis.Both, proxy.Attributes{"timeout": 0})
}

// Refuse closes the connections of links and refuses new ones.
func (l *links) Refuse(link string) error { return l.inject(link, l.proxies.Refuse) }

// Heal removes all faults from links.
func (l *links) Heal(link string) error { return l.each(link, l.proxies.Heal) }

// Relay receives the traffic of the links between clients and nodes behind their proxies, and
// decides when each message goes on. It sees only messages that the faults on a link let through.
type Relay interface {
	// Relay listens for a link and returns its address: "c2>n0", or "c2+>n0" for the second link of
	// the same client. It connects to upstream.
	Relay(link, upstream string) (addr string, err error)
}
