package sim

import (
	"fmt"
	"strconv"
	"time"

	"github.com/lockbench/lockbench/nemesis"
)

// link is the way between a client, or a replica, and a node: what a proxy of its own is in the world of processes. An action on it means
// what it means there: a cut drops data but lets an end be noticed, new connections can be made, and healing it closes those it was put on.
type link struct {
	w       *World
	name    string // "c2>n0", "c2+>n0" the second way, "n0>n1"
	node    *node  // where it leads
	up      stream // what is sent to the node
	down    stream // what it answers
	back    string // name of what comes back
	refused bool
	reset   bool
	conns   []*conn
	healed  func() // of a replication link: begin again
}

// stream is one direction of a link.
type stream struct {
	cut   bool
	hold  bool
	delay time.Duration
	held  []func()
}

func (w *World) newLink(name string, to *node) *link {
	l := &link{w: w, name: name, node: to, back: name + " reply"}
	w.links = append(w.links, l)
	return l
}

// latency is how long the next message of this name takes. Less than 10 µs of it come from the name alone, so that no message
// arrives at the moment of a client's timer.
func (w *World) latency(name string) int64 {
	w.counts[name]++
	key := name + "." + strconv.Itoa(w.counts[name])
	d := w.cfg.Latencies[w.chooser.Choose(len(w.cfg.Latencies), "latency", key)]
	return int64(d) + 1 + int64(hash(0, key)%9973)
}

// send sends a message: arrive is called when it comes to the other end, no sooner than *last, when the one before it came.
func (l *link) send(s *stream, name string, last *int64, arrive func()) {
	l.carry(s, name, last, func() {
		if !s.cut {
			l.pass(s, arrive)
		}
	})
}

// notice is send for the end of a connection, which a cut lets through.
func (l *link) notice(s *stream, name string, last *int64, arrive func()) {
	l.carry(s, name, last, func() { l.pass(s, arrive) })
}

// carry is the way of a message or an end.
func (l *link) carry(s *stream, name string, last *int64, arrive func()) {
	if l.w.picker != nil && s.delay == 0 {
		l.pend(name, last, arrive)
		return
	}
	at := max(l.w.Now()+l.w.latency(name)+int64(s.delay), *last+1)
	*last = l.w.queue.add(at, l, arrive)
}

// pass is a message at the end of its way.
func (l *link) pass(s *stream, arrive func()) {
	if s.hold {
		s.held = append(s.held, arrive)
	} else {
		arrive()
	}
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
	l.up, l.down, l.refused, l.reset = stream{}, stream{}, false, false
	if broken {
		l.closeAll()
	}
	l.hasten()
	now := l.w.Now()
	for _, arrive := range held {
		now = l.w.queue.add(now+1, l, arrive)
	}
	if broken && l.healed != nil {
		l.healed()
	}
}

// hasten delivers now what is under way for longer than any latency: it was delayed.
func (l *link) hasten() {
	soon := l.w.Now() + int64(l.w.cfg.Latencies[len(l.w.cfg.Latencies)-1])
	var late []event
	rest := l.w.queue.events[:0:0]
	for _, e := range l.w.queue.events {
		if e.link == l && e.at > soon {
			late = append(late, e)
		} else {
			rest = append(rest, e)
		}
	}
	l.w.queue.events = rest
	now := l.w.Now()
	for _, e := range late {
		now = l.w.queue.add(now+1, l, e.do)
	}
}

// closeAll closes the connections at both ends, as a proxy does that is put out of service.
func (l *link) closeAll() {
	all := l.conns
	l.conns = nil
	for _, c := range all {
		c.broken = true
		c.node.hangUp(c)
		c.finish(errEOF)
	}
}
