package cluster

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
)

// gatehouse has the doors of a site.
type gatehouse struct {
	folder string // siteFolder, as long as it is no test's
	mu     sync.Mutex
	gates  map[string]*gate
}

func newGatehouse(folder string) *gatehouse {
	return &gatehouse{folder: folder, gates: map[string]*gate{}}
}

// gate is a Door, as the site has it.
type gate struct {
	*tunnel
	mu sync.Mutex
	to string // host:port of the server; "": nobody
}

// errNobody is why a connection ends that came while nobody was behind the door.
var errNobody = errors.New("nobody is there")

// dial connects to the server, if there is one.
func (g *gate) dial() (net.Conn, error) {
	g.mu.Lock()
	to := g.to
	g.mu.Unlock()
	if to == "" {
		return nil, errNobody
	}
	return net.DialTimeout("tcp", to, siteTimeout)
}

func (g *gate) lead(to string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.to = to
}

// api is toxiproxy's, and that of the doors.
func (g *gatehouse) api() http.Handler {
	r := proxyAPI()
	r.HandleFunc("/refuses", answer(func(_ map[string]string, addr string) (string, error) {
		c, err := net.DialTimeout("tcp", addr, proxyTimeout/4)
		if err == nil {
			c.Close()
		}
		return strconv.FormatBool(err != nil), nil
	})).Methods("POST")
	r.HandleFunc("/doors/{server}/{do}", answer(func(v map[string]string, body string) (string,
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

// do does to a door what Door asks for.
func (g *gatehouse) do(server, what, body string) (answer string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	d, ok := g.gates[server]
	if !ok && what != doorMake {
		return "", fmt.Errorf("there is no door of %s", server)
	}
	switch what {
	case doorMake:
		return g.make(server)
	case doorOpen:
		d.lead(body)
	case doorShut:
		d.lead("")
	case doorClear:
		d.hangUp()
	case doorWipe:
		return "", g.empty(server)
	case doorClock:
		ns, err := strconv.ParseInt(body, 10, 64)
		if err != nil {
			return "", err
		}
		return "", (&ServerClock{Path: siteClock(g.folder, server)}).set(time.Duration(ns))
	default:
		return "", fmt.Errorf("a door cannot %s", what)
	}
	return "", nil
}

// make makes a door behind which nobody is yet, with the server's folder and its clock, and returns
// its address.
func (g *gatehouse) make(server string) (string, error) {
	if err := errors.Join(g.empty(server), rightClock(siteClock(g.folder, server))); err != nil {
		return "", err
	}
	d := &gate{}
	t, err := dig("127.0.0.1:0", d.dial)
	if err != nil {
		return "", err
	}
	d.tunnel, g.gates[server] = t, d
	return t.addr(), nil
}

// empty makes a server's folder, without what was in it.
func (g *gatehouse) empty(server string) error {
	dir := path.Join(g.folder, server)
	return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777))
}
