// Package proxy has one toxiproxy proxy for each link of an environment: in this process, or in a
// program beside the servers, where this process cannot reach them. It is the only room that knows
// toxiproxy.
package proxy

import (
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

// Links has one toxiproxy proxy for each link. They run in a server inside this process, or are
// remote; then only a Relay, which is in this process, keeps those of the clients here. The
// client's Proxy is not safe for concurrent use, hence the mutex.
type Links struct {
	host string       // where the proxies of this process listen
	http *http.Server // they; nil if all are remote
	here *toxi.Client

	remote *Remote // where the others are; nil: nowhere
	there  *toxi.Client

	mu    sync.Mutex
	links map[string]*toxi.Proxy
	far   map[string]bool // links whose proxy is remote
}

// proxyTimeout bounds each call of toxiproxy: it can hang when a toxic is removed while its output
// is blocked (docs/environments.md, toxiproxy).
const proxyTimeout = 2 * time.Second

// Start starts a server of proxies in this process, on host, unless none is needed beside
// the remote ones.
func Start(host string, remote *Remote, relayed bool) (*Links, error) {
	p := &Links{host: host, remote: remote, links: map[string]*toxi.Proxy{}, far: map[string]bool{}}
	if remote != nil {
		p.there = toxi.NewClient(remote.api())
		if !relayed {
			return p, nil
		}
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s for the proxies: %w", host, err)
	}
	p.http, p.here = &http.Server{Handler: proxyAPI()}, toxi.NewClient(ln.Addr().String())
	go p.http.Serve(ln)
	return p, nil
}

// Upstream is a server behind a proxy: its address for this process, and for remote proxies.
type Upstream struct{ Addr, Inner string }

// Link makes the proxy called name, which a client uses, before a server and returns its address
// for the client. Through leads on to the server from this process, if there is something in
// between.
func (p *Links) Link(name string, to Upstream, through string) (string, error) {
	switch {
	case p.here != nil && through != "":
		return p.make(p.here, name, net.JoinHostPort(p.host, "0"), through)
	case p.here != nil:
		return p.make(p.here, name, net.JoinHostPort(p.host, "0"), to.Addr)
	}
	addr, err := p.LinkServers(name, to)
	if err != nil || p.remote.Inside {
		return addr, err
	}
	return p.remote.route(addr)
}

// LinkServers makes the proxy called name, which servers use, and returns its address for them.
func (p *Links) LinkServers(name string, to Upstream) (string, error) {
	if p.remote != nil {
		return p.make(p.there, name, net.JoinHostPort(p.remote.Host, "0"), to.Inner)
	}
	return p.make(p.here, name, net.JoinHostPort(p.host, "0"), to.Addr)
}

func (p *Links) make(at *toxi.Client, name, listen, upstream string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, err := at.CreateProxy(name, listen, upstream)
	if err != nil {
		return "", fmt.Errorf("proxy %s: %w", name, silent(err))
	}
	p.links[name], p.far[name] = l, at == p.there
	return l.Listen, nil
}

// Streams are the streams of a proxy that a Cut by mode closes: upstream carries what is sent to
// the node, downstream what it answers.
func Streams(mode string) ([]string, error) {
	switch mode {
	case nemesis.Both:
		return []string{"upstream", "downstream"}, nil
	case nemesis.Requests:
		return []string{"upstream"}, nil
	case nemesis.Replies:
		return []string{"downstream"}, nil
	}
	return nil, fmt.Errorf("a link is cut both ways, for requests or for replies, not %q", mode)
}

// Attributes are the numbers of a toxic.
type Attributes = toxi.Attributes

// Toxic puts a toxic of this kind on streams of a link.
func (p *Links) Toxic(link, kind string, streams []string, a toxi.Attributes) error {
	return p.with(link, func(l *toxi.Proxy) error {
		for _, s := range streams {
			if _, err := l.AddToxic(kind+"_"+s, kind, s, 1, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// Refuse closes a link's connections and its listener.
func (p *Links) Refuse(link string) error {
	return p.with(link, func(l *toxi.Proxy) error { return l.Disable() })
}

// Names are the names of all links, in order.
func (p *Links) Names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.links))
}

// Heal removes every toxic from a link, and listens again. Connections that lived through a Cut are
// closed by it.
func (p *Links) Heal(link string) error {
	return p.with(link, func(l *toxi.Proxy) error {
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
func (p *Links) with(link string, f func(*toxi.Proxy) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, ok := p.links[link]
	if !ok {
		return fmt.Errorf("there is no link %q", link)
	}
	done := make(chan error, 1)
	go func() { done <- f(l) }()
	select {
	case err := <-done:
		return err
	case <-time.After(proxyTimeout):
		return fmt.Errorf("the proxy of link %s did not answer within %v", link, proxyTimeout)
	}
}

// Close ends every proxy of this process; remote ones end with their Remote. It needs no clean-up
// of toxics: the links die with it.
func (p *Links) Close() {
	if p.http == nil {
		return
	}
	for name, l := range p.links {
		if !p.far[name] {
			_ = p.with(l.Name, func(l *toxi.Proxy) error { return l.Delete() })
		}
	}
	p.http.Close()
}
