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
	stands    int64         // where it stands, µs; 0: it does not
	down      bool
	paused    bool
	busy      int64 // since when it executes a script that does not end; 0: it does not
	stalled   int64 // until when it executes one command
	conns     []*conn
	backlog   []func()   // what arrived while it was paused
	waiting   uint64     // hash of what waits until it reads its sockets again, in order
	cleans    int64      // when it looks for keys that are over; 0: it does not
	effects   [][]string // of the latest command, if it was a script and Config.Effects is wanted
	runs      *conn      // whose command it executes, where Config.Changed is wanted

	replicas []*replica
	position position // of what it sends them
}

// open makes a session for a connection.
func (n *node) open(c *conn) {
	n.conns = append(n.conns, c)
	c.session = n.engine.Open(c.answer)
}

// hangUp ends a session.
func (n *node) hangUp(c *conn) {
	n.conns = slices.DeleteFunc(n.conns, func(x *conn) bool { return x == c })
	c.link.conns = slices.DeleteFunc(c.link.conns, func(x *conn) bool { return x == c })
	if c.session != nil {
		n.engine.Close(c.session)
		c.session, c.waiting = nil, nil
	}
}

// receive takes bytes of a connection.
func (n *node) receive(c *conn, data []byte) {
	if n.down || n.postpone(func() { n.receive(c, data) }) {
		return
	}
	c.requested(data)
	n.serve(c)
}

// end takes the end of a connection, after all that was sent on it: a node that was stopped
// executes what its socket has of a client that is gone.
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

// noteWaiting notes a message that arrives at the node while it reads nothing: what it executes
// later depends on the order in which such messages came.
func (n *node) noteWaiting(o Option) {
	switch {
	case n.reads():
		n.waiting = 0
	case o.To == n.name:
		n.waiting = hash(n.waiting, o.Name)
	}
}

// postpone reports whether the node reads none of its sockets now. Then it does it later, after all
// that it was to do before.
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

// requested adds to what has arrived and was not executed. The connection keeps data.
func (c *conn) requested(data []byte) {
	if len(c.request) > 0 {
		data = append(c.request, data...)
	}
	c.request = data
}

// busyThreshold is after how long of one script Redis answers others with -BUSY; the environment of
// processes sets the same.
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

// executed tells what a command did that was executed at a version of the contents.
func (n *node) executed(c *conn, args []string, reply []byte, before uint64) {
	if see := n.cfg.Executed; see != nil {
		see(Execution{n.scheduler.Now(), c.client.number, n.name, args, reply, n.effects,
			n.engine.Version() != before, n.engine.Len()})
	}
}

// onReal says what to do with a lock that sends what the simulated Redis lacks.
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

// clock is the node's wall clock, µs.
func (n *node) clock() int64 {
	if n.stands != 0 {
		return n.stands
	}
	return (time.Now().UnixNano() + int64(n.offset)) / int64(time.Microsecond)
}

// kill ends the node. What it had sent arrives, and then the end of each connection.
func (n *node) kill() {
	n.down, n.paused, n.busy, n.stalled, n.cleans, n.backlog = true, false, 0, 0, 0, nil
	n.engine.Lose()
	for _, c := range slices.Clone(n.conns) {
		n.hangUp(c)
		c.link.notice(&c.link.down, &c.dnLast, func() { c.finish(errEOF) })
	}
}

// restart brings the node back, empty, since it keeps nothing on a disk.
func (n *node) restart() {
	n.down, n.engine, n.position = false, engine.New(), position{}
	n.record()
	for _, r := range n.replicas {
		r.resync()
	}
}
