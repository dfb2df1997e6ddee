package tap

import (
	"errors"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// route is the way of the client's connections to one Redis.
type route struct {
	tap    *Tap
	nodes  map[string]string
	spares map[string]string
	// whether it leads to a sentinel; such a route is never redirected and has no second way
	sentinel bool

	mu   sync.Mutex
	way  map[string]string // nodes, or spares
	node string
	open map[*connection]bool
	over bool
}

func newRoute(t *Tap, w Ways) *route {
	r := &route{tap: t, nodes: w.Nodes, spares: w.Spares, way: w.Nodes, node: w.First,
		open: map[*connection]bool{}}
	if _, ok := w.Nodes[w.First]; !ok {
		r.node = slices.Min(slices.Collect(maps.Keys(w.Nodes)))
	}
	return r
}

func (r *route) current() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.node
}

// serve handles a connection of the client until it ends.
func (r *route) serve(down net.Conn) {
	c := newConnection(r, down)
	if !r.admit(c) {
		c.close()
		return
	}
	defer r.forget(c)
	if err := c.connect(); err != nil { // the client sees its connection end, as behind any proxy
		c.close()
		return
	}
	c.fromClient()
	c.servers.Wait() // the client's last commands may take long to arrive
}

func (r *route) admit(c *connection) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.open[c] = true
	}
	return !r.over
}

func (r *route) forget(c *connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, c)
}

// target returns the node to connect to, and its address.
func (r *route) target() (node, address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.node, r.way[r.node]
}

// redirect leads new commands to a node. It returns false if the route does not know the node.
func (r *route) redirect(node string) (known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known = r.nodes[node]; !known || node == r.node || r.sentinel {
		return known
	}
	r.node = node
	for c := range r.open {
		c.redirected(node)
	}
	return true
}

func (r *route) spare() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sentinel {
		return nil
	}
	if r.spares == nil {
		return errors.New("the nodes have no second link")
	}
	r.way = r.spares
	return nil
}

func (r *route) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	for c := range r.open {
		c.close()
	}
}

// Sentinel listens on an address that leads the client to a sentinel, and returns it. The Observer
// does not see this traffic. In the sentinel's replies, the tap replaces each address that Announce
// knows.
func (t *Tap) Sentinel(address string) (here string, err error) {
	r := newRoute(t, Ways{Nodes: map[string]string{"": address}})
	r.sentinel = true
	return t.serve(r)
}

// Announce maps a server's or a sentinel's address, as the sentinels know it, to the address that
// the client must use.
func (t *Tap) Announce(address, here string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.announced == nil {
		t.announced = map[string]string{}
	}
	t.announced[address] = here
}

// translate replaces the servers' addresses with the client's own in the messages of a sentinel. It
// handles replies that name host and port, next to each other or each after its name. It also
// handles messages to subscribers, whose single line has the same words.
func (t *Tap) translate(wire []byte) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return resp.Rewrite(wire, func(texts []string) {
		for i, text := range texts {
			if words := strings.Split(text, " "); len(words) > 1 {
				t.replace(words)
				texts[i] = strings.Join(words, " ")
			}
		}
		t.replace(texts)
	})
}

// named maps a host's name in the state of a server to its port's.
var named = map[string]string{"ip": "port", "master-host": "master-port"}

// replace changes the addresses in a sequence of words. The caller holds the tap's mutex.
func (t *Tap) replace(words []string) {
	for i, w := range words {
		if here, ok := t.announced[w]; ok {
			words[i] = here
		}
		port := i + 1
		if i > 0 && i+2 < len(words) && named[words[i-1]] == words[i+1] && named[words[i-1]] != "" {
			port = i + 2
		}
		if port >= len(words) {
			break
		}
		if here, ok := t.announced[net.JoinHostPort(w, words[port])]; ok {
			words[i], words[port], _ = net.SplitHostPort(here)
		}
	}
}
