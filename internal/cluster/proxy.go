package cluster

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	toxi "github.com/Shopify/toxiproxy/v2/client"
	"github.com/gorilla/mux"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// proxies is a toxiproxy server inside this process and its client: one proxy for each link.
// The client's Proxy is not safe for concurrent use, hence the mutex.
type proxies struct {
	host   string
	http   *http.Server
	client *toxi.Client

	mu    sync.Mutex
	links map[string]*toxi.Proxy
}

// proxyTimeout bounds each call of toxiproxy: it can hang when a toxic is removed while its output is blocked (REALFAULT.md §0.7).
const proxyTimeout = 2 * time.Second

// startProxies serves toxiproxy's own handlers on our listener: its Listen cannot be stopped, has no port 0, and exits the process
// when the port is taken.
func startProxies(host string) (*proxies, error) {
	api := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	r := mux.NewRouter()
	r.HandleFunc("/proxies", api.ProxyIndex).Methods("GET")
	r.HandleFunc("/proxies", api.ProxyCreate).Methods("POST")
	r.HandleFunc("/proxies/{proxy}", api.ProxyShow).Methods("GET")
	r.HandleFunc("/proxies/{proxy}", api.ProxyUpdate).Methods("POST")
	r.HandleFunc("/proxies/{proxy}", api.ProxyDelete).Methods("DELETE")
	r.HandleFunc("/proxies/{proxy}/toxics", api.ToxicIndex).Methods("GET")
	r.HandleFunc("/proxies/{proxy}/toxics", api.ToxicCreate).Methods("POST")
	r.HandleFunc("/proxies/{proxy}/toxics/{toxic}", api.ToxicUpdate).Methods("POST")
	r.HandleFunc("/proxies/{proxy}/toxics/{toxic}", api.ToxicDelete).Methods("DELETE")
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s for the proxies: %w", host, err)
	}
	p := &proxies{host: host, http: &http.Server{Handler: r}, client: toxi.NewClient(ln.Addr().String()), links: map[string]*toxi.Proxy{}}
	go p.http.Serve(ln)
	return p, nil
}

// link makes the proxy called name before upstream and returns its address.
func (p *proxies) link(name, upstream string) (string, error) {
	return p.linkAt(p.host, name, upstream)
}

// linkAt is link for those who do not share our loopback.
func (p *proxies) linkAt(host, name, upstream string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, err := p.client.CreateProxy(name, net.JoinHostPort(host, "0"), upstream)
	if err != nil {
		return "", fmt.Errorf("proxy %s: %w", name, err)
	}
	p.links[name] = l
	return l.Listen, nil
}

// directions are the streams of a proxy that a Cut by mode closes: upstream carries what is sent to the node, downstream what it answers.
func directions(mode string) ([]string, error) {
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

// toxic puts a toxic of this kind on streams of a link.
func (p *proxies) toxic(link, kind string, streams []string, a toxi.Attributes) error {
	return p.with(link, func(l *toxi.Proxy) error {
		for _, s := range streams {
			if _, err := l.AddToxic(kind+"_"+s, kind, s, 1, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// refuse closes a link's connections and its listener.
func (p *proxies) refuse(link string) error {
	return p.with(link, func(l *toxi.Proxy) error { return l.Disable() })
}

// names are the names of all links, in order.
func (p *proxies) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.links))
}

// heal removes every toxic from a link, and listens again. Connections that lived through a Cut are closed by it.
func (p *proxies) heal(link string) error {
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
func (p *proxies) with(link string, f func(*toxi.Proxy) error) error {
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

// close ends the server and every proxy. It needs no clean-up of toxics: the links die with it.
func (p *proxies) close() {
	for _, l := range p.links {
		_ = p.with(l.Name, func(l *toxi.Proxy) error { return l.Delete() })
	}
	p.http.Close()
}
