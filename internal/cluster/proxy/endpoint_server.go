package proxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/mux"
	"github.com/lockbench/lockbench/internal/cluster/clock"
)

// endpointServer has the endpoints, on the side of the remote proxies.
type endpointServer struct {
	folder    string // siteFolder, as long as it is no test's
	mu        sync.Mutex
	endpoints map[string]*endpoint
}

func newEndpointServer(folder string) *endpointServer {
	return &endpointServer{folder: folder, endpoints: map[string]*endpoint{}}
}

// endpoint is an Endpoint on the side of the remote proxies.
type endpoint struct {
	*Tunnel
	mu sync.Mutex
	to string // host:port of the server; "": none
}

// errNoServer is why a connection ends that came while no server was behind the endpoint.
var errNoServer = errors.New("there is no server")

// dial connects to the server, if there is one.
func (g *endpoint) dial() (net.Conn, error) {
	g.mu.Lock()
	to := g.to
	g.mu.Unlock()
	if to == "" {
		return nil, errNoServer
	}
	return net.DialTimeout("tcp", to, remoteTimeout)
}

func (g *endpoint) lead(to string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.to = to
}

// api is toxiproxy's, and that of the endpoints.
func (g *endpointServer) api() http.Handler {
	r := proxyAPI()
	r.HandleFunc("/refuses", answer(func(_ map[string]string, addr string) (string, error) {
		c, err := net.DialTimeout("tcp", addr, proxyTimeout/4)
		if err == nil {
			c.Close()
		}
		return strconv.FormatBool(err != nil), nil
	})).Methods("POST")
	r.HandleFunc("/endpoints/{server}/{do}", answer(func(v map[string]string, body string) (string,
		error) {
		return g.do(v["server"], v["do"], body)
	})).Methods("POST")
	return r
}

// answer makes a handler out of what is done with a path and a body.
func answer(f func(vars map[string]string, body string) (string, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<10))
		said := ""
		if err == nil {
			said, err = f(mux.Vars(r), string(body))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, said)
	}
}

// do does to an endpoint what Endpoint asks for.
func (g *endpointServer) do(server, what, body string) (answer string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	d, ok := g.endpoints[server]
	if !ok && what != endpointMake {
		return "", fmt.Errorf("there is no endpoint of %s", server)
	}
	switch what {
	case endpointMake:
		return g.make(server)
	case endpointOpen:
		d.lead(body)
	case endpointShut:
		d.lead("")
	case endpointClear:
		d.hangUp()
	case endpointWipe:
		return "", g.empty(server)
	case endpointClock:
		ns, err := strconv.ParseInt(body, 10, 64)
		if err != nil {
			return "", err
		}
		return "", (&clock.Server{Path: remoteClock(g.folder, server)}).Set(time.Duration(ns))
	default:
		return "", fmt.Errorf("an endpoint cannot %s", what)
	}
	return "", nil
}

// make makes an endpoint without a server, with the server's folder and its clock, and returns
// its address.
func (g *endpointServer) make(server string) (string, error) {
	if err := errors.Join(g.empty(server), clock.Reset(remoteClock(g.folder, server))); err != nil {
		return "", err
	}
	d := &endpoint{}
	t, err := Listen("127.0.0.1:0", d.dial)
	if err != nil {
		return "", err
	}
	d.Tunnel, g.endpoints[server] = t, d
	return t.Addr(), nil
}

// empty makes a server's folder, without what was in it.
func (g *endpointServer) empty(server string) error {
	dir := path.Join(g.folder, server)
	return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777))
}
