package sim

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

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
