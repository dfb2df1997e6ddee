package sim

import (
	"fmt"
	"time"

	"github.com/lockbench/lockbench/nemesis"
)

// link is the way between a client, or a replica, and a node: what a proxy of its own is in the
// environment of processes. An action on it means what it means there: a cut drops data but lets an
// end be noticed, new connections can be made, and healing it closes those it was put on.
type link struct {
	links     *links
	scheduler *scheduler
	name      string // "c2>n0", "c2+>n0" the second way, "n0>n1"
	node      *node  // where it leads
	up        stream // to the node
	down      stream // its answers
	refused   bool
	reset     bool
	conns     []*conn
	healed    func() // of a replication link: begin again
}

// stream is one direction of a link.
type stream struct {
	name  string // of its messages, which are numbered
	count int    // of them
	cut   bool
	hold  bool
	delay time.Duration
	held  []cargo
}

// cargo is what arrives at the end of a way: bytes of a connection, or anything else. A run has
// hundreds: closures would be half of what the scheduler allocates.
type cargo struct {
	conn *conn
	up   bool // the bytes are for the node
	data []byte
	do   func() // instead of bytes
}

func (g cargo) arrive() {
	switch {
	case g.do != nil:
		g.do()
	case g.conn.broken:
	case g.up:
		g.conn.reach(g.data)
	default:
		g.conn.deliver(g.data)
	}
}

// send sends a message: it comes to the other end no sooner than *last, when the one before it
// came.
func (l *link) send(s *stream, last *int64, g cargo) {
	l.carry(s, last, event{link: l, stream: s, drops: true, cargo: g})
}

// notice is send for the end of a connection, which a cut lets through.
func (l *link) notice(s *stream, last *int64, arrive func()) {
	l.carry(s, last, event{link: l, stream: s, cargo: cargo{do: arrive}})
}

// carry is the way of a message or an end.
func (l *link) carry(s *stream, last *int64, e event) {
	if l.scheduler.ordering != nil && s.delay == 0 {
		l.scheduler.ordering.pend(l, s, last, e)
		return
	}
	e.at = max(l.scheduler.Now()+l.links.latency(s)+int64(s.delay), *last+1)
	*last = l.scheduler.queue.put(e)
}

// streams are the directions that a mode names.
func (l *link) streams(mode string) ([]*stream, error) {
	switch mode {
	case nemesis.Both:
		return []*stream{&l.up, &l.down}, nil
	case nemesis.Requests:
		return []*stream{&l.up}, nil
	case nemesis.Replies:
		return []*stream{&l.down}, nil
	}
	return nil, fmt.Errorf("a link is cut both ways, for requests or for replies, not %q", mode)
}

// heal makes the link whole. What was held or delayed is delivered now, in order.
func (l *link) heal() {
	broken := l.up.cut || l.down.cut || l.reset
	held := append(l.up.held, l.down.held...)
	l.up.heal()
	l.down.heal()
	l.refused, l.reset = false, false
	if broken {
		l.closeAll()
	}
	l.hasten()
	now := l.scheduler.Now()
	for _, g := range held {
		now = l.scheduler.queue.put(event{at: now + 1, link: l, cargo: g})
	}
	if broken && l.healed != nil {
		l.healed()
	}
}

// heal undoes what was done to the stream. Its messages go on being numbered.
func (s *stream) heal() { *s = stream{name: s.name, count: s.count} }

// hasten delivers now each message that is under way for longer than any latency: it was delayed.
func (l *link) hasten() {
	soon := l.scheduler.Now() + int64(l.links.longest())
	var late []event
	rest := l.scheduler.queue.events[:0:0]
	for _, e := range l.scheduler.queue.events {
		if e.link == l && e.at > soon {
			late = append(late, e)
		} else {
			rest = append(rest, e)
		}
	}
	l.scheduler.queue.events = rest
	now := l.scheduler.Now()
	for _, e := range late {
		e.at = now + 1
		now = l.scheduler.queue.put(e)
	}
}

// closeAll closes the connections at both ends, as a proxy does that is put out of service.
func (l *link) closeAll() {
	all := l.conns
	l.conns = nil
	for _, c := range all {
		c.broken = true
		c.node.end(c)
		c.finish(errEOF)
	}
}

// intact reports whether no fault strikes the link.
func (l *link) intact() bool {
	return !l.up.cut && !l.down.cut && !l.up.hold && !l.down.hold && !l.refused && !l.reset
}
