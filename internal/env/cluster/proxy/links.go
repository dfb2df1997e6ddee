// Package proxy runs one toxiproxy proxy for each link of an environment. The proxies run in this
// process or, if it cannot reach the servers, in a program on the servers' network. It is the only
// room that knows toxiproxy.
package proxy

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	toxi "github.com/Shopify/toxiproxy/v2/client"
	"github.com/lockbench/lockbench/nemesis"
)

// Links holds one toxiproxy proxy for each link. They run in a server inside this process, or are
// remote. If they are remote, a Relay may keep the clients' proxies in this process. The client's
// Proxy is not safe for concurrent use, hence the mutex.
type Links struct {
	host string       // where the proxies of servers listen
	http *http.Server // the proxies of this process; nil if all are remote
	here *toxi.Client

	secret string // that they ask for

	remote *Remote // the remote proxies, or nil
	there  *toxi.Client

	mu    sync.Mutex
	links map[string]*link
	forks []*Tunnel
}

// link is a proxy, and whether it is remote.
type link struct {
	*toxi.Proxy
	far bool
}

// proxyTimeout bounds each call of toxiproxy: it can hang when a toxic is removed while its output
// is blocked (docs/running.md, toxiproxy).
const proxyTimeout = 2 * time.Second

// Start starts a server of proxies in this process, on host, unless the remote proxies are enough.
func Start(host string, remote *Remote, relayed bool) (*Links, error) {
	p := &Links{host: host, remote: remote, links: map[string]*link{}}
	if remote != nil {
		p.there, host = toxi.NewClient(remote.api()), loopback
		if !relayed {
			return p, nil
		}
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s for the proxies: %w", host, err)
	}
	addr := ln.Addr().String()
	p.secret = rand.Text()
	p.http = &http.Server{Addr: addr, Handler: requireSecret(p.secret, addr, proxyAPI())}
	p.here = toxi.NewClient("http://" + addr + "/" + p.secret)
	go p.http.Serve(ln)
	return p, nil
}

// loopback is the address that every machine has.
const loopback = "127.0.0.1"

// Link makes the proxy called name, which a client uses, before an address in the network of the
// servers, and returns its address for the client.
func (p *Links) Link(name, to string) (string, error) {
	addr, err := p.LinkServers(name, to)
	if err != nil || p.remote == nil || p.remote.Inside {
		return addr, err
	}
	return p.remote.Route(addr)
}

// LinkHere is Link for an address of this process.
func (p *Links) LinkHere(name, to string) (string, error) {
	host := p.host
	if p.remote != nil {
		host = loopback
	}
	return p.make(p.here, name, host, to)
}

// LinkServers makes the proxy called name, which servers use, and returns its address for them.
func (p *Links) LinkServers(name, to string) (string, error) {
	if p.remote != nil {
		return p.make(p.there, name, p.host, to)
	}
	return p.make(p.here, name, p.host, to)
}

func (p *Links) make(at *toxi.Client, name, host, upstream string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, err := at.CreateProxy(name, net.JoinHostPort(host, "0"), upstream)
	if err != nil {
		return "", fmt.Errorf("proxy %s: %w", name, silent(err))
	}
	p.links[name] = &link{l, at == p.there}
	return l.Listen, nil
}

// Attributes are the numbers of a toxic.
type Attributes = toxi.Attributes

// Toxic puts a toxic of this kind on the streams of a link that a mode of Cut names: upstream
// carries requests to the node, downstream its answers.
func (p *Links) Toxic(name, kind, mode string, a Attributes) error {
	streams, err := nemesis.Streams(mode, "upstream", "downstream")
	if err != nil {
		return err
	}
	return p.with(name, func(l *link) error {
		for _, s := range streams {
			if _, err := l.AddToxic(kind+"_"+s, kind, s, 1, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// Refuse closes a link's connections and its listener.
func (p *Links) Refuse(name string) error {
	return p.with(name, func(l *link) error { return l.Disable() })
}

// Names are the names of all links, in order.
func (p *Links) Names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.links))
}

// Heal removes every toxic from a link, and listens again. Connections that lived through a Cut are
// closed by it.
func (p *Links) Heal(name string) error {
	return p.with(name, func(l *link) error {
		ts, err := l.Toxics()
		for _, t := range ts {
			if e := l.RemoveToxic(t.Name); err == nil {
				err = e
			}
		}
		if err == nil && !l.Enabled {
			err = l.Enable()
		}
		return err
	})
}

// with calls f for a link, and gives up on it after proxyTimeout.
func (p *Links) with(name string, f func(*link) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, ok := p.links[name]
	if !ok {
		return fmt.Errorf("there is no link %q", name)
	}
	done := make(chan error, 1)
	go func() { done <- f(l) }()
	select {
	case err := <-done:
		return silent(err)
	case <-time.After(proxyTimeout):
		return fmt.Errorf("the proxy of link %s did not answer within %v", name, proxyTimeout)
	}
}

// Close ends every proxy of this process; remote ones end with their Remote. It needs no clean-up
// of toxics: the links die with it.
func (p *Links) Close() {
	for _, f := range p.forks {
		f.Close()
	}
	if p.http == nil {
		return
	}
	for name, l := range p.links {
		if !l.far {
			_ = p.with(name, func(l *link) error { return l.Delete() })
		}
	}
	p.http.Close()
}
