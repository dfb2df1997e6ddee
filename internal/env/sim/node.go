package sim

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/workloads"
)

// node is a Redis server. It belongs to the scheduler.
type node struct {
	nodes     *nodes
	scheduler *scheduler
	cfg       *Config
	name      string
	engine    *engine.Engine
	offset    time.Duration // how far its wall clock is ahead
	stands    int64         // the time at which its clock is stopped, µs, or 0 while it runs
	down      bool
	paused    bool
	busy      int64 // start of a script that does not end, or 0 without one
	stalled   int64 // end of the command of Stall
	conns     []*conn
	backlog   []func()   // messages that arrived while it was paused
	waiting   uint64     // hash of the messages that it has not read from its sockets, in order
	cleans    int64      // when it looks for expired keys, or 0 if it does not
	effects   [][]string // of the latest command, if it was a script and Config.Effects is set
	runs      *conn      // the connection whose command it executes

	replicas []*replica
	position position // in the stream to its replicas
}

// open makes a session for a connection.
func (n *node) open(c *conn) {
	n.conns = append(n.conns, c)
	c.session = n.engine.Open(c.answer)
}

func (n *node) hangUp(c *conn) {
	n.conns = slices.DeleteFunc(n.conns, func(x *conn) bool { return x == c })
	c.link.conns = slices.DeleteFunc(c.link.conns, func(x *conn) bool { return x == c })
	if c.session != nil {
		n.engine.Close(c.session)
		c.session, c.waiting = nil, nil
	}
}

// receive takes bytes from a connection.
func (n *node) receive(c *conn, data []byte) {
	if n.down || n.postpone(func() { n.receive(c, data) }) {
		return
	}
	c.requested(data)
	n.serve(c)
}

// end takes the end of a connection, after all bytes that were sent on it. A stopped node therefore
// still executes the commands of a client that is gone.
func (n *node) end(c *conn) {
	if n.down || !n.postpone(func() { n.end(c) }) {
		n.hangUp(c)
	}
}

// reads reports whether the node reads its sockets now.
func (n *node) reads() bool {
	now := n.scheduler.Now()
	return !n.paused && now >= n.stalled && (n.busy == 0 || now >= n.busy+int64(busyThreshold))
}

// noteWaiting notes a message that arrives while the node reads nothing. The order of such messages
// is a part of the state, since the node executes them later in that order.
func (n *node) noteWaiting(o Option) {
	switch {
	case n.reads():
		n.waiting = 0
	case o.To == n.name:
		n.waiting = hash(n.waiting, o.Name)
	}
}

// postpone reports whether the node reads none of its sockets now. If so, the node calls do later,
// after everything that it postponed before.
func (n *node) postpone(do func()) bool {
	switch {
	case n.paused:
		n.backlog = append(n.backlog, do)
	case n.scheduler.Now() < n.stalled:
		n.scheduler.queue.add(n.stalled, do)
	case n.busy != 0 && n.scheduler.Now() < n.busy+int64(busyThreshold):
		n.scheduler.queue.add(n.busy+int64(busyThreshold), do)
	default:
		return false
	}
	return true
}

// requested adds to the bytes that were not executed yet. The connection keeps data.
func (c *conn) requested(data []byte) {
	if len(c.request) > 0 {
		data = append(c.request, data...)
	}
	c.request = data
}

// busyThreshold is the run time of a script after which Redis answers other commands with -BUSY.
// The environment of processes uses the same value.
const busyThreshold = 50 * time.Millisecond

// serve executes the whole commands that a connection has sent, and sends their replies together.
func (n *node) serve(c *conn) {
	var replies []byte
	for c.session != nil && c.waiting == nil {
		args, rest, err := resp.Command(c.request)
		if err != nil {
			n.hangUp(c)
			c.finish(errEOF)
			return
		}
		if args == nil {
			break
		}
		c.request = rest
		before := n.engine.Version()
		reply := n.execute(c, args)
		n.executed(c, args, reply, before)
		replies = append(replies, reply...)
	}
	c.answer(replies)
	n.resume()
	n.clean()
	n.ship()
}

// executed reports a command to Config.Executed. Before is the version of the contents before it.
func (n *node) executed(c *conn, args []string, reply []byte, before uint64) {
	if see := n.cfg.Executed; see != nil {
		see(Execution{n.scheduler.Now(), c.client.number, n.name, args, reply, n.effects,
			n.engine.Version() != before, n.engine.Len()})
	}
}

// onReal advises what to do with a lock that sends a command that the simulated Redis lacks.
const onReal = "A real Redis runs it: make the lock an adapter (docs/adding-an-adapter.md)"

func (n *node) execute(c *conn, args []string) []byte {
	n.engine.Busy = n.busy != 0
	n.effects, n.runs = nil, c
	defer func() { n.runs = nil }()
	reply := n.engine.Do(n.clock(), c.session, args)
	if lacks := n.engine.Lacks; lacks != "" {
		n.scheduler.Tell(workloads.Report{Process: c.client.number,
			Failed: "the simulated Redis has no " + lacks + ". " + onReal})
	}
	upTo := c.upTo
	if c.session.Ran {
		c.upTo = n.streamOffset()
	}
	if b := c.session.Blocked; b != nil {
		return n.block(c, b, upTo)
	}
	return reply
}

// clock returns the node's wall clock, µs.
func (n *node) clock() int64 {
	if n.stands != 0 {
		return n.stands
	}
	return (time.Now().UnixNano() + int64(n.offset)) / int64(time.Microsecond)
}

// kill ends the node. Messages that it sent still arrive, and then the end of each connection.
func (n *node) kill() {
	n.down, n.paused, n.busy, n.stalled, n.cleans, n.backlog = true, false, 0, 0, 0, nil
	n.engine.Lose()
	for _, c := range slices.Clone(n.conns) {
		n.hangUp(c)
		c.link.notice(&c.link.down, &c.dnLast, func() { c.finish(errEOF) })
	}
}

// restart brings the node back empty, since it keeps nothing on a disk.
func (n *node) restart() {
	n.down, n.engine, n.position = false, engine.New(), position{}
	n.record()
	for _, r := range n.replicas {
		r.resync()
	}
}
