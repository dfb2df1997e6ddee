package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Remote is where the proxies of an environment are if they are not in this process: a program
// beside its servers (RemoteMain), in a network of which nothing but one port of that program is
// published here. A Launcher makes it for one environment, which ends it. Its methods may be called
// from any goroutine.
type Remote struct {
	Addr     string               // the published port: "127.0.0.1:32768"
	Token    string               // that it asks for
	Host     string               // its address for servers: "172.18.0.2"
	Inside   bool                 // clients are in that network, too
	Messages <-chan RemoteMessage // what it says while it runs; closed at its end
	End      func() error         // ends it, and returns when it is gone

	mu        sync.Mutex
	endpoints map[string]*Endpoint // by server
	routes    []*Tunnel
}

// remoteTimeout bounds each request.
const remoteTimeout = proxyTimeout

// remoteClient keeps its connections: each new one costs a way through the program that publishes
// the port.
var remoteClient = &http.Client{Timeout: remoteTimeout}

// api is the address of its API, which is toxiproxy's and more, with what it asks for.
func (s *Remote) api() string { return "http://" + remoteUser + ":" + s.Token + "@" + s.Addr }

// route makes an address of this machine that leads to one beside the remote proxies. A port of its
// own for each would have to be published before it is known what they are for, and costs the
// daemon a process and some tens of milliseconds.
func (s *Remote) route(to string) (string, error) {
	t, err := Listen("127.0.0.1:0", func() (net.Conn, error) { return s.connect(to) })
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.routes = append(s.routes, t)
	return t.Addr(), nil
}

// connect connects to an address beside the remote proxies, by HTTP's CONNECT.
func (s *Remote) connect(to string) (net.Conn, error) {
	c, err := net.DialTimeout("tcp", s.Addr, remoteTimeout)
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(remoteTimeout))
	r := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: to}, Host: to,
		Header: http.Header{}}
	r.SetBasicAuth(remoteUser, s.Token)
	if err = r.Write(c); err == nil {
		err = connected(c, r)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, c.SetDeadline(time.Time{})
}

// connected reads the answer to a CONNECT. Redis says nothing before it is asked, so that nothing
// else is read.
func connected(c net.Conn, r *http.Request) error {
	answer, err := http.ReadResponse(bufio.NewReader(c), r)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(answer.Status)
	}
	return err
}

// Close ends the routes, and then the remote proxies.
func (s *Remote) Close() error {
	s.mu.Lock()
	for _, t := range s.routes {
		t.Close()
	}
	s.mu.Unlock()
	return s.End()
}

// Endpoint is the endpoint of a server, which is made if there is none yet.
func (s *Remote) Endpoint(server string) (*Endpoint, error) {
	s.mu.Lock()
	d, ok := s.endpoints[server]
	s.mu.Unlock()
	if ok {
		return d, nil
	}
	d = &Endpoint{remote: s, server: server}
	var err error
	if d.Inner, err = s.ask("/endpoints/"+server+"/"+endpointMake, ""); err == nil {
		d.Outer, err = s.route(d.Inner)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endpoints == nil {
		s.endpoints = map[string]*Endpoint{}
	}
	s.endpoints[server] = d
	return d, err
}

// Reached says why the remote proxies cannot be reached; nil: they can.
func (s *Remote) Reached() error {
	r, err := remoteClient.Get(s.api() + "/proxies")
	if err != nil {
		return silent(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		err = errors.New(r.Status)
	}
	return err
}

// refuses reports whether an address there takes no connections. The remote side tries: from
// here every published port takes them.
func (s *Remote) refuses(addr string) (bool, error) {
	answer, err := s.ask("/refuses", addr)
	return answer == "true", err
}

// ask sends a request to the remote proxies and returns their answer.
func (s *Remote) ask(path, body string) (string, error) {
	r, err := remoteClient.Post(s.api()+path, "text/plain", strings.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("the proxies do not answer: %w", silent(err))
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("the proxies: %s", strings.TrimSpace(string(answer)))
	}
	return string(answer), err
}

// silent is an error of a request without its address, which has the token in it.
func silent(err error) error {
	if u, ok := err.(*url.Error); ok {
		return u.Err
	}
	return err
}
