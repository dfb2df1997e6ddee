package sim

import (
	"time"
)

// link is the way between a client, or a replica, and a node. In the environment of processes each
// link is a proxy, and faults on a link act as they do there. A cut drops data, but the end of a
// connection is still noticed, and new connections can be made. Healing a cut closes the link's
// connections.
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
	healed    func() // of a replication link: copies everything again
}

// stream is one direction of a link.
type stream struct {
	name  string // first part of the names of its messages
	to    string // node or client at which its messages arrive
	whose int    // client of its messages, or -1 for a replica's
	count int    // number of its latest message, the second part
	cut   bool
	hold  bool
	delay time.Duration
	held  []cargo
}

// cargo is the content of a message: bytes of a connection, or a function to call on arrival. It is
// no closure for bytes, since a run sends hundreds, and closures would be half of the scheduler's
// allocations.
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

// send sends a message. It arrives after *last, the arrival of the message before it.
func (l *link) send(s *stream, last *int64, g cargo) {
	l.carry(s, last, event{link: l, stream: s, drops: true, cargo: g})
}

// notice sends the end of a connection. A cut lets it through.
func (l *link) notice(s *stream, last *int64, arrive func()) {
	l.carry(s, last, event{link: l, stream: s, cargo: cargo{do: arrive}})
}

// carry schedules the arrival of a message or of an end.
func (l *link) carry(s *stream, last *int64, e event) {
	if l.scheduler.ordering != nil && s.delay == 0 {
		l.scheduler.ordering.pend(l, s, last, e)
		return
	}
	e.at = max(l.scheduler.Now()+l.links.latency(s)+int64(s.delay), *last+1)
	*last = l.scheduler.queue.put(e)
}

// heal removes all faults of the link. It delivers held and delayed messages now, in order.
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

// heal removes all faults of the stream. The numbers of its messages go on.
func (s *stream) heal() { *s = stream{name: s.name, count: s.count} }

// hasten delivers every delayed message now, that is each one due later than any latency explains.
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

// closeAll closes the connections at both ends, as a proxy does when it stops.
func (l *link) closeAll() {
	all := l.conns
	l.conns = nil
	l.scheduler.endTogether(func() {
		for _, c := range all {
			c.broken = true
			c.node.end(c)
			c.finish(errEOF)
		}
	})
}

func (l *link) intact() bool {
	return !l.up.cut && !l.down.cut && !l.up.hold && !l.down.hold && !l.refused && !l.reset
}
