package sim

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// readers are the connections whose client has waited for bytes with a deadline. The scheduler ends
// such a wait at the deadline. It replaces a timer of the connection: two timers and a select for
// each command took more time.
type readers struct {
	mu    sync.Mutex
	conns []*conn
}

// gone is the due of a closed connection.
const gone = -1

// awaitReader makes the scheduler end the wait of a connection's reader at due. It wakes the
// scheduler if that would sleep longer.
func (s *scheduler) awaitReader(c *conn, due int64) {
	if !c.listed {
		c.listed = true
		s.readers.mu.Lock()
		s.readers.conns = append(s.readers.conns, c)
		s.readers.mu.Unlock()
	}
	if s.inbox.asleep.Load() && due < s.inbox.until.Load() {
		s.inbox.wake()
	}
}

// soonest returns when the first wait is over, ns since 1970.
func (r *readers) soonest() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, closed := int64(math.MaxInt64), false
	for _, c := range r.conns {
		switch due := c.due.Load(); {
		case due > 0:
			first = min(first, due)
		case due == gone:
			closed = true
		}
	}
	if closed {
		r.conns = slices.DeleteFunc(r.conns, func(c *conn) bool { return c.due.Load() == gone })
	}
	return first
}

// expire ends the waits that are over, and reports whether there were any.
func (r *readers) expire(now int64) (some bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		if due := c.due.Load(); due > 0 && due <= now {
			some = true
			c.lapse()
		}
	}
	return some
}

// lapse wakes the reader, which then sees that its time is over.
func (c *conn) lapse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.signal()
}

// sleepers holds the sleeps of clients that have not ended.
type sleepers struct {
	hooked bool
	mu     sync.Mutex
	naps   []nap
	count  map[int]int // by client
}

type nap struct {
	option Option
	until  int64
}

// hook makes the clients report their sleeps. Later calls do nothing.
func (s *sleepers) hook(w *Environment) {
	if s.hooked {
		return
	}
	s.hooked, s.count = true, map[int]int{}
	for _, c := range w.clients.all {
		c.env.HookSleep(func(d time.Duration) func() { return s.sleep(c.number, w.Now()+int64(d)) })
	}
}

func (s *sleepers) sleep(client int, until int64) (awake func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[client]++
	n := nap{Option{client, fmt.Sprintf("c%d wakes.%d", client, s.count[client]),
		clientName(client), false, until}, until}
	s.naps = append(s.naps, n)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.naps = slices.DeleteFunc(s.naps, func(o nap) bool { return o == n })
	}
}

// soonest returns the sleep that ends first, and false if none ends by the given time. It skips
// sleeps that are over already, since their clients are stopped.
func (s *sleepers) soonest(now, by int64) (Option, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := nap{until: by + 1}
	for _, n := range s.naps {
		if n.until >= now && n.until < first.until || n.until == first.until &&
			n.option.Name < first.option.Name {
			first = n
		}
	}
	return first.option, first.until <= by
}
