package sim

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/nemesis"
)

// links are the network of an environment, with the faults that strike it. Each fault does the same
// as in the environment of processes.
type links struct {
	scheduler *scheduler
	chooser   Chooser
	latencies []time.Duration
	all       []*link // in the order of creation
	key       []byte  // of the latest question to the chooser

	connecting atomic.Bool // clients are making their first connections
	greeting   sync.Mutex  // guards nodes and links while clients connect
}

var _ nemesis.Linker = (*Environment)(nil)

func (s *links) add(name string, to *node) *link {
	from, _, _ := strings.Cut(strings.Replace(name, "+", "", 1), ">")
	whose := -1
	if n, err := strconv.Atoi(strings.TrimPrefix(from, "c")); err == nil {
		whose = n
	}
	l := &link{links: s, scheduler: s.scheduler, name: name, node: to,
		up:   stream{name: name, to: to.name, whose: whose},
		down: stream{name: name + " reply", to: from, whose: whose}}
	s.all = append(s.all, l)
	return l
}

func (s *links) find(name string) *link {
	i := slices.IndexFunc(s.all, func(l *link) bool { return l.name == name })
	if i < 0 {
		return nil
	}
	return s.all[i]
}

// latency returns how long the next message of a stream takes. It adds less than 10 µs that depend
// on the message's name, so that no message arrives at the moment of a client's timer.
func (s *links) latency(of *stream) int64 {
	of.count++
	s.key = strconv.AppendInt(append(append(s.key[:0], of.name...), '.'), int64(of.count), 10)
	d := s.latencies[s.choose(len(s.latencies), "latency", s.key)]
	return int64(d) + 1 + int64(hash(0, s.key)%9973)
}

func (s *links) longest() time.Duration { return s.latencies[len(s.latencies)-1] }

// choose asks the chooser. For Seeded, the usual one, it avoids the allocation of a string.
func (s *links) choose(n int, label string, key []byte) int {
	if seeded, ok := s.chooser.(Seeded); ok {
		return seeded.pick(n, hash(seeded.Seed, key))
	}
	return s.chooser.Choose(n, label, string(key))
}

// accept is the network's side of dial. As behind a proxy, a client can connect to a node that is
// down, and finds its connection closed.
func (s *links) accept(c *conn, name string) error {
	l := s.find(name)
	if l == nil || l.refused {
		return refusal(name)
	}
	c.link, c.node = l, l.node
	l.conns = append(l.conns, c)
	if l.node.down {
		c.over = errEOF
		return nil
	}
	l.node.open(c)
	return nil
}

// greet answers a command at once while the environment's clients connect. Nothing depends on these
// commands, such as HELLO. The caller holds the connection's mutex.
func (s *links) greet(c *conn, data []byte) bool {
	if !s.connecting.Load() {
		return false
	}
	s.greeting.Lock()
	defer s.greeting.Unlock()
	args, rest, err := resp.Command(data)
	if err != nil || args == nil || len(rest) > 0 {
		return false
	}
	c.link.up.count++ // later messages get the same names as if these had been sent
	c.link.down.count++
	c.inbox = append(c.inbox, c.node.engine.Do(c.node.clock(), c.session, args)...)
	c.signal()
	return true
}

// each calls f for every link that a pattern names: "c2>n0", "c2>*", "*".
func (s *links) each(pattern string, f func(*link)) error {
	found := false
	for _, l := range s.all {
		if ok, _ := path.Match(pattern, l.name); ok {
			found = true
			f(l)
		}
	}
	if !found {
		return fmt.Errorf("there is no link %q", pattern)
	}
	return nil
}

// streams calls f for the streams of links that a mode names.
func (s *links) streams(pattern, mode string, f func(*stream)) error {
	var wrong error
	err := s.each(pattern, func(l *link) {
		all, err := nemesis.Streams(mode, &l.up, &l.down)
		wrong = err
		for _, one := range all {
			f(one)
		}
	})
	return errors.Join(wrong, err)
}

// Cut makes links drop data. Connections stay, new ones can be made, and each end notices if the
// other closes.
func (s *links) Cut(pattern, mode string) error {
	return s.streams(pattern, mode, func(s *stream) { s.cut = true })
}

// HoldBack keeps the messages of links until Heal delivers them, even if the sender has given up.
func (s *links) HoldBack(pattern, mode string) error {
	return s.streams(pattern, mode, func(s *stream) { s.hold = true })
}

// Delay delivers the messages of links d later.
func (s *links) Delay(pattern string, d time.Duration) error {
	return s.streams(pattern, nemesis.Both, func(s *stream) { s.delay = d })
}

// Refuse closes the connections of links and refuses new ones.
func (s *links) Refuse(pattern string) error {
	return s.each(pattern, func(l *link) {
		l.refused = true
		l.closeAll()
	})
}

// Reset resets connections as soon as something is sent over them.
func (s *links) Reset(pattern string) error {
	return s.each(pattern, func(l *link) { l.reset = true })
}

// Heal removes all faults from links.
func (s *links) Heal(pattern string) error { return s.each(pattern, (*link).heal) }
