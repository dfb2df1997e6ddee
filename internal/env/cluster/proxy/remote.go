package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/clock"
)

// Remote controls the proxies of an environment in another process. That process runs RemoteMain
// and shares a loopback network with the servers. Only one port of that network is published on
// this machine. The process also keeps the disks of the servers and the offsets of their clocks. A
// Launcher makes a Remote for one environment, and the environment ends it. Any goroutine may call
// its methods.
type Remote struct {
	Addr     string               // the published port: "127.0.0.1:32768"
	Token    string               // required by each request
	Inside   bool                 // clients are also in that network
	Messages <-chan RemoteMessage // its messages; closed when it ends
	End      func() error         // ends it, and returns when it is gone

	mu     sync.Mutex
	routes []*Tunnel
}

// remoteTimeout bounds each request.
const remoteTimeout = proxyTimeout

// remoteClient keeps its connections: each new one passes through the program that publishes the
// port.
var remoteClient = &http.Client{Timeout: remoteTimeout}

// api returns the address of its API with the credentials. The API extends toxiproxy's.
func (s *Remote) api() string { return "http://" + remoteUser + ":" + s.Token + "@" + s.Addr }

// Route makes an address of this machine that leads to an address on the network of the remote
// proxies. Publishing a port for each would have to happen before its use is known, and costs the
// daemon a process and some tens of milliseconds.
func (s *Remote) Route(to string) (string, error) {
	t, err := Listen("127.0.0.1:0", "", func(net.Addr) (net.Conn, error) { return s.connect(to) })
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.routes = append(s.routes, t)
	return t.Addr(), nil
}

// connect connects to an address on the network of the remote proxies, by HTTP's CONNECT.
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

// refused is the answer to a CONNECT to an address that takes no connections.
type refused string

// Error is error.
func (r refused) Error() string { return string(r) }

// connected reads the answer to a CONNECT. Redis says nothing before it is asked, so that nothing
// else is read.
func connected(c net.Conn, r *http.Request) error {
	answer, err := http.ReadResponse(bufio.NewReader(c), r)
	switch {
	case err != nil:
		return err
	case answer.StatusCode == http.StatusBadGateway:
		return refused(answer.Status)
	case answer.StatusCode != http.StatusOK:
		return errors.New(answer.Status)
	}
	return nil
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

// remoteFolder is where remote proxies share files with their servers: memory that is shared by all
// that have one IPC namespace, so that it needs no folder of a machine that may not be ours, and
// ends with them.
const remoteFolder = "/dev/shm/lockbench"

// Dir is a server's folder in its network, which outlives it.
func (s *Remote) Dir(server string) string { return path.Join(remoteFolder, server) }

// Wipe makes a server's folder, or empties it.
func (s *Remote) Wipe(server string) error { return s.ask("/wipe/"+server, "") }

// Clock returns the clock of a server, which starts without an offset.
func (s *Remote) Clock(server string) (*clock.Server, error) {
	set := func(offset time.Duration) error {
		return s.ask("/clock/"+server, strconv.FormatInt(int64(offset), 10))
	}
	return &clock.Server{Path: remoteClock(remoteFolder, server), Remote: set}, set(0)
}

// remoteClock is the file with the offset of a server's clock.
func remoteClock(folder, server string) string { return path.Join(folder, server+".clock") }

// Reached returns the reason why the remote proxies cannot be reached, or nil.
func (s *Remote) Reached() error { return s.answered(remoteClient.Get(s.api() + "/proxies")) }

// ask has the remote proxies do something.
func (s *Remote) ask(path, body string) error {
	return s.answered(remoteClient.Post(s.api()+path, "text/plain", strings.NewReader(body)))
}

// answered returns an error if an answer reports a failure. It leaves out the address of the
// request, which holds the token.
func (s *Remote) answered(r *http.Response, err error) error {
	if err != nil {
		return fmt.Errorf("the proxies do not answer: %w", silent(err))
	}
	defer r.Body.Close()
	said, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("the proxies: %s", strings.TrimSpace(string(said)))
	}
	return err
}

// silent is an error of a request without its address.
func silent(err error) error {
	if u, ok := err.(*url.Error); ok {
		return u.Err
	}
	return err
}
