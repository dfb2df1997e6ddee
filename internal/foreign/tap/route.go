package tap

import (
	"errors"
	"maps"
	"net"
	"slices"
	"sync"
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
