package sim

import (
	"time"

	"github.com/lockbench/lockbench/internal/sim/engine"
)

// replica is a node that copies another, as its master sees it. The master sends the whole state
// after each change, with absolute ends of life: to a replica it does not matter which command made
// the change.
type replica struct {
	master  *node
	node    *node
	link    *link // its up stream carries the state, its down stream the confirmations
	sent    uint64
	loaded  uint64 // the master's version that has arrived
	has     uint64 // the master's version that the replica has confirmed
	upLast  int64
	dnLast  int64
	epoch   int // of the connection: what an older one carried does not count
	pending bool
}

// waiting is a connection in a WAIT.
type waiting struct {
	replicas int
	version  uint64
}

func (w *Environment) replicate(master, to *node) {
	r := &replica{master: master, node: to}
	r.link = w.newLink(master.name+">"+to.name, to)
	r.link.healed = r.resync
	to.engine.Replica = true
	master.replicas = append(master.replicas, r)
}

// ship sends the state to the replicas, if it has changed.
func (n *node) ship() {
	for _, r := range n.replicas {
		if v := n.engine.Version(); v != r.sent && !r.pending {
			r.sent = v
			r.send(v, n.engine.Snapshot())
		}
	}
}

func (r *replica) send(version uint64, s engine.Snapshot) {
	epoch := r.epoch
	r.link.send(&r.link.up, &r.upLast, cargo{do: func() {
		if epoch == r.epoch {
			r.apply(version, s)
		}
	}})
}

// apply is a state's arrival at the replica, which confirms it.
func (r *replica) apply(version uint64, s engine.Snapshot) {
	if r.node.down || !r.node.engine.Replica {
		return
	}
	if r.node.paused {
		r.node.backlog = append(r.node.backlog, func() { r.apply(version, s) })
		return
	}
	r.node.engine.Load(s)
	r.loaded = version
	epoch := r.epoch
	r.link.send(&r.link.down, &r.dnLast, cargo{do: func() {
		if epoch == r.epoch && !r.master.down {
			r.has = version
			r.master.confirmed()
		}
	}})
}

// Behind reports whether a replica lacks something that its master has executed, although nothing
// keeps the link between them from carrying it: it was only under way.
func (w *Environment) Behind(replica string) bool {
	for _, n := range w.nodes {
		for _, r := range n.replicas {
			if r.node.name == replica && r.loaded != n.engine.Version() && r.link.whole() {
				return true
			}
		}
	}
	return false
}

// resyncTime is how long a replica takes to notice a lost connection and to copy everything: a
// second at most in Redis.
const resyncTime = 500 * time.Millisecond

// resync begins again after the connection, or the master, was lost.
func (r *replica) resync() {
	r.epoch++
	r.has, r.sent, r.loaded, r.pending = 0, 0, 0, true
	epoch := r.epoch
	r.master.w.after(resyncTime, func() {
		if epoch != r.epoch || r.master.down {
			return
		}
		r.pending, r.sent = false, r.master.engine.Version()
		r.send(r.sent, r.master.engine.Snapshot())
	})
}

// await begins a WAIT, or answers it at once.
func (n *node) await(c *conn, b engine.Wait) []byte {
	w := &waiting{replicas: b.Replicas, version: c.wrote}
	if have := n.have(w.version); have >= w.replicas {
		return engine.Number(have)
	}
	c.waiting = w
	if b.Timeout > 0 {
		n.w.after(time.Duration(b.Timeout)*time.Millisecond, func() { n.waited(c, w) })
	}
	return nil
}

// have is how many replicas have confirmed a version.
func (n *node) have(version uint64) int {
	have := 0
	for _, r := range n.replicas {
		if r.has >= version && !r.pending {
			have++
		}
	}
	return have
}

// confirmed answers the connections that have waited for enough replicas.
func (n *node) confirmed() {
	for _, c := range n.conns {
		if c.waiting != nil && n.have(c.waiting.version) >= c.waiting.replicas {
			n.waited(c, c.waiting)
		}
	}
}

// waited ends a WAIT, and executes what the connection has sent since.
func (n *node) waited(c *conn, w *waiting) {
	if c.waiting != w || n.down {
		return
	}
	c.waiting = nil
	c.answer(engine.Number(n.have(w.version)))
	n.serve(c)
}
