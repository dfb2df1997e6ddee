package cluster

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

// Site is where the proxies of an environment are if they are not in this process: a program beside
// its servers (SiteMain), in a network of which nothing but one port of that program is published
// here. A Launcher makes it for one environment, which ends it. Its methods may be called from any
// goroutine.
type Site struct {
	Addr   string          // the published port: "127.0.0.1:32768"
	Token  string          // that it asks for
	Host   string          // its address for servers: "172.18.0.2"
	Inside bool            // clients are in that network, too
	Words  <-chan SiteWord // what it says while it runs; closed at its end
	End    func() error    // ends it, and returns when it is gone

	mu    sync.Mutex
	doors map[string]*Door // by server
	ways  []*tunnel
}

// siteTimeout bounds each word with a site.
const siteTimeout = proxyTimeout

// siteClient speaks to sites. Connections are kept: each new one costs a way through what publishes
// the port.
var siteClient = &http.Client{Timeout: siteTimeout}

// api is the address of its API, which is toxiproxy's and more, with what it asks for.
func (s *Site) api() string { return "http://" + siteUser + ":" + s.Token + "@" + s.Addr }

// way makes an address of this machine that leads to one of the site. A port of its own for each
// would have to be published before it is known what they are for, and costs the daemon a process
// and some tens of milliseconds.
func (s *Site) way(to string) (string, error) {
	t, err := dig("127.0.0.1:0", func() (net.Conn, error) { return s.connect(to) })
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ways = append(s.ways, t)
	return t.addr(), nil
}

// connect connects to an address of the site, by HTTP's CONNECT.
func (s *Site) connect(to string) (net.Conn, error) {
	c, err := net.DialTimeout("tcp", s.Addr, siteTimeout)
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(siteTimeout))
	r := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: to}, Host: to,
		Header: http.Header{}}
	r.SetBasicAuth(siteUser, s.Token)
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

// close ends the ways to it, and then the site.
func (s *Site) close() error {
	s.mu.Lock()
	for _, t := range s.ways {
		t.close()
	}
	s.mu.Unlock()
	return s.End()
}

// Door is the door of a server, which is made if there is none yet.
func (s *Site) Door(server string) (*Door, error) {
	s.mu.Lock()
	d, ok := s.doors[server]
	s.mu.Unlock()
	if ok {
		return d, nil
	}
	d = &Door{site: s, server: server}
	var err error
	if d.inner, err = s.say("/doors/"+server+"/"+doorMake, ""); err == nil {
		d.outer, err = s.way(d.inner)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.doors == nil {
		s.doors = map[string]*Door{}
	}
	s.doors[server] = d
	return d, err
}

// Reached says why the site cannot be reached; nil: it can.
func (s *Site) Reached() error {
	r, err := siteClient.Get(s.api() + "/proxies")
	if err != nil {
		return silent(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		err = errors.New(r.Status)
	}
	return err
}

// refuses reports whether an address of the site takes no connections. The site itself tries: from
// here every published port takes them.
func (s *Site) refuses(addr string) (bool, error) {
	answer, err := s.say("/refuses", addr)
	return answer == "true", err
}

// say sends a word to the site and returns its answer.
func (s *Site) say(path, body string) (string, error) {
	r, err := siteClient.Post(s.api()+path, "text/plain", strings.NewReader(body))
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
