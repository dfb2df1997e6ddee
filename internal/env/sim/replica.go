package sim

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim/engine"
)

// replica is a node that copies another, from the view of its master. The master sends the whole
// state after each change, with absolute expiry times. A replica need not know the command that
// made the change.
type replica struct {
	master  *node
	node    *node
	link    *link // its up stream carries the state, its down stream the confirmations
	sent    uint64
	loaded  uint64 // the master's offset that has arrived
	has     uint64 // the master's offset that the replica has confirmed
	tells   uint64 // the offset that it confirms by itself at the end of the second, or 0
	upLast  int64
	dnLast  int64
	epoch   int // number of the connection; messages of an older connection do not count
	pending bool
}

// position is a master's place in the stream to its replicas. It is Redis' replication offset, but
// counts changes instead of bytes. A WAIT that has to wait advances it as well, because the master
// asks for confirmations in the stream itself (REPLCONF GETACK).
type position struct {
	version uint64 // of the contents, when they were last sent
	asked   uint64 // requests for a confirmation
	asking  bool   // the last request has not been sent yet
	written uint64 // offset after the last change
}

// streamOffset is the number of changes and of requests for a confirmation.
func (n *node) streamOffset() uint64 { return n.engine.Version() + n.position.asked }

// waiting is a connection in a WAIT, or in a command that waits for keys.
type waiting struct {
	replicas int
	offset   uint64
	forKeys  bool
}

// promote makes a replica a master, and lets the other replicas of its master follow it.
func (n *node) promote() {
	n.engine.Replica = false
	for _, old := range n.nodes.all {
		if slices.ContainsFunc(old.replicas, func(r *replica) bool { return r.node == n }) {
			for _, r := range old.replicas {
				r.follow(n)
			}
			old.replicas = slices.DeleteFunc(old.replicas, func(r *replica) bool { return r.master != old })
		}
	}
}

// follow makes the replica follow another master and copy its contents. It does nothing for a node
// that does not run, since an operator could not reach it either.
func (r *replica) follow(master *node) {
	if r.node == master || r.node.down || r.node.paused {
		return
	}
	r.link.healed = nil
	if l := master.nodes.links.find(master.name + ">" + r.node.name); l != nil {
		r.link = l
		l.healed = r.resync
	}
	r.master = master
	master.replicas = append(master.replicas, r)
	r.copyIn(followTime)
}

// ship sends a new state, or a new request to confirm it, to the replicas.
func (n *node) ship() {
	p, offset, confirmed := &n.position, n.streamOffset(), n.streamOffset()
	if p.asking { // a replica confirms the changes before the request
		confirmed--
	}
	if v := n.engine.Version(); v != p.version {
		p.version, p.written = v, confirmed
	}
	p.asking = false
	for _, r := range n.replicas {
		if offset != r.sent && !r.pending {
			r.sent = offset
			r.send(offset, confirmed, n.engine.Snapshot())
		}
	}
}

func (r *replica) send(offset, confirmed uint64, s engine.Snapshot) {
	epoch := r.epoch
	r.link.send(&r.link.up, &r.upLast, cargo{do: func() {
		if epoch == r.epoch {
			r.apply(offset, confirmed, s)
		}
	}})
}

// apply loads a state that arrives at the replica, and confirms it.
func (r *replica) apply(offset, confirmed uint64, s engine.Snapshot) {
	if r.node.down || !r.node.engine.Replica {
		return
	}
	if r.node.paused {
		r.node.backlog = append(r.node.backlog, func() { r.apply(offset, confirmed, s) })
		return
	}
	r.node.engine.Load(s)
	r.loaded = offset
	r.confirm(confirmed)
	if confirmed == offset {
		return
	}
	if r.tells == 0 {
		epoch := r.epoch
		past := time.Duration(r.master.scheduler.Now()) % tellTime
		r.master.scheduler.schedule(tellTime-past, func() { r.tell(epoch) })
	}
	r.tells = offset
}

// tellTime is how often a replica sends a confirmation by itself.
const tellTime = time.Second

// tell sends the confirmation that a replica makes once in a second, unless the master has it.
func (r *replica) tell(epoch int) {
	switch {
	case epoch != r.epoch || r.node.down || !r.node.engine.Replica:
	case r.node.paused:
		r.node.backlog = append(r.node.backlog, func() { r.tell(epoch) })
	default:
		if r.has < r.tells {
			r.confirm(r.tells)
		}
		r.tells = 0
	}
}

// confirm tells the master that the replica has everything up to an offset.
func (r *replica) confirm(offset uint64) {
	epoch := r.epoch
	r.link.send(&r.link.down, &r.dnLast, cargo{do: func() {
		if epoch == r.epoch && !r.master.down {
			r.has = max(r.has, offset)
			r.master.confirmed()
		}
	}})
}

// resyncTime is how long a replica takes to notice a lost connection and to copy everything. Redis
// takes at most a second.
const resyncTime = 500 * time.Millisecond

// followTime is how long a replica takes to copy everything from its new master: 10 to 30 ms on one
// machine.
const followTime = 20 * time.Millisecond

// resync copies everything again after the connection or the master was lost.
func (r *replica) resync() { r.copyIn(resyncTime) }

// copyIn makes the master send everything once more, after the given time.
func (r *replica) copyIn(after time.Duration) {
	r.epoch++
	r.has, r.sent, r.loaded, r.tells, r.pending = 0, 0, 0, 0, true
	epoch := r.epoch
	r.master.scheduler.schedule(after, func() {
		if epoch != r.epoch || r.master.down {
			return
		}
		r.pending, r.sent = false, r.master.streamOffset()
		r.send(r.sent, r.sent, r.master.engine.Snapshot())
	})
}

// await starts a WAIT, or answers it at once. The WAIT is for the master's offset right after the
// connection's last command, which includes earlier writes of other clients. A connection that has
// sent no command waits for nothing.
func (n *node) await(c *conn, b engine.Wait, upTo uint64) []byte {
	w := &waiting{replicas: b.Replicas, offset: upTo}
	if have := n.have(w.offset); have >= w.replicas {
		return engine.Number(have)
	}
	c.waiting = w
	n.position.asked++
	n.position.asking = true
	if b.Timeout > 0 {
		n.scheduler.schedule(time.Duration(b.Timeout)*time.Millisecond, func() { n.waited(c, w) })
	}
	return nil
}

// have returns how many replicas have confirmed an offset.
func (n *node) have(offset uint64) int {
	have := 0
	for _, r := range n.replicas {
		if r.has >= offset && !r.pending {
			have++
		}
	}
	return have
}

// confirmed answers the connections that waited for replicas if enough of them have confirmed.
func (n *node) confirmed() {
	for _, c := range n.conns {
		if c.waiting != nil && !c.waiting.forKeys && n.have(c.waiting.offset) >= c.waiting.replicas {
			n.waited(c, c.waiting)
		}
	}
}

// waited ends the wait of a connection, and executes the commands that it has sent since.
func (n *node) waited(c *conn, w *waiting) {
	if c.waiting != w || n.down {
		return
	}
	c.waiting = nil
	if w.forKeys {
		c.answer(n.engine.GiveUp(c.session))
	} else {
		c.answer(engine.Number(n.have(w.offset)))
	}
	n.serve(c)
}
