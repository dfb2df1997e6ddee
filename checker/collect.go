package checker

import (
	"maps"
	"slices"

	"github.com/lockbench/lockbench/history"
)

// rule is one of the rules by which collect gives nobody more time inside than is certain. Only the
// tests switch them off, one at a time, to see that each of them matters.
type rule uint16

const (
	leaveAtInvocation rule = 1 << iota // of the release, not at its return
	leaveAtKill
	leaveAtLastSign  // of a process that vanished
	leaveToComeAgain // a new acquire ends a hold
	unknownNeverIn
	nestedIsOne
	lateExtensionLeavesGap
	driftShortens
	lossEnds
	promiseEnds
	leaseFromSending // not from the return of the acquire
)

// collector builds a record from events in the order of their stamps.
type collector struct {
	record
	declares history.Declares
	drift    float64
	clients  map[int]*client
	without  rule // tests only
}

func (c *collector) on(r rule) bool { return c.without&r == 0 }

// client is what the collector knows of one process.
type client struct {
	process int
	op      *history.Event // invocation without completion
	inside  []int          // indices of the holds that have not ended, outermost first
	ending  []int          // holds whose release is open
	nested  map[int]int    // n of a nested acquisition -> its hold
	last    int64          // its latest own event
	dead    int64          // stamp of its kill, else forever
}

// collect reads a history into the form in which it is judged.
//
// A hold is taken to last only while its client was certainly inside; wherever the record leaves a
// doubt, the shorter time is taken, so that no doubt can become an alarm:
//   - it begins when the acquire has returned, not when the server may have granted it;
//   - it ends when a release is invoked, whatever becomes of it: the client has left;
//   - it ends at the kill, stamped before the signal, and with a process that vanished at the last
//     sign of life;
//   - it ends when a client acquires anew without a release, unless the lock is re-entrant;
//   - an acquire without a known "ok" never holds: its client does not enter.
func collect(h *history.History) *record { return collectWithout(h, 0) }

func collectWithout(h *history.History, without rule) *record {
	c := &collector{declares: h.Header.Declares, drift: h.Header.Drift, clients: map[int]*client{},
		without: without}
	c.holds = make([]hold, 0, len(h.Events)/4)
	c.calls = make([]call, 0, len(h.Events)/4)
	for i := range h.Events {
		c.add(&h.Events[i])
	}
	c.close()
	return &c.record
}

func (c *collector) add(e *history.Event) {
	c.end = max(c.end, e.T)
	if e.Process < 0 {
		return
	}
	p := c.client(e.Process)
	switch e.Type {
	case history.Kill:
		if c.on(leaveAtKill) {
			p.dead = min(p.dead, e.T)
			c.leave(p, e.T, killed)
		}
		return
	case history.Exit:
		if c.on(leaveAtLastSign) {
			c.leave(p, p.last, vanished)
		}
		return
	case history.Gap:
		return
	}
	p.last = max(p.last, e.T)
	c.operation(p, e)
}

func (c *collector) client(process int) *client {
	p := c.clients[process]
	if p == nil {
		p = &client{process: process, dead: forever, nested: map[int]int{}}
		c.clients[process] = p
	}
	return p
}

func (c *collector) operation(p *client, e *history.Event) {
	switch {
	case e.Type == history.Invoke:
		p.op = e
		c.invoke(p, e)
	case e.Type.Completes():
		c.complete(p, e)
		p.op = nil
	case e.Type == history.Extend:
		c.extend(p, e, e)
	case e.Type == history.Lost:
		if h := c.find(p, e); h != nil && c.on(lossEnds) {
			h.lost = min(h.lost, e.T)
		}
	}
}

func (c *collector) invoke(p *client, e *history.Event) {
	switch e.F {
	case history.Acquire:
		if !c.declares.Reentrant && c.on(leaveToComeAgain) {
			c.endHolds(p, keysOf(e), 0, e.T, again)
		}
	case history.Release:
		outer, inner := p.nested[e.N]
		if inner {
			c.holds[outer].inner = e.T
		}
		delete(p.nested, e.N) // of a nested acquisition: the outermost hold goes on
		n := e.N
		if !inner && !c.holdsN(p, n) {
			n = 0 // a release of nobody knows what: to be sure, of all holds of its keys
		}
		c.endHolds(p, keysOf(e), n, e.T, released)
	}
}

// endHolds ends the holds of the given keys; n 0 means whichever acquisition they are of.
func (c *collector) endHolds(p *client, keys []int, n int, t int64, how ending) {
	p.ending = p.ending[:0]
	kept := p.inside[:0]
	for _, i := range p.inside {
		h := &c.holds[i]
		if !slices.Contains(keys, h.key) || n != 0 && h.n != n {
			kept = append(kept, i)
			continue
		}
		h.end, h.ended = min(h.end, t, p.dead), how
		if how == released {
			p.ending = append(p.ending, i)
		}
	}
	p.inside = kept
}

func (c *collector) holdsN(p *client, n int) bool {
	for _, i := range p.inside {
		if c.holds[i].n == n {
			return true
		}
	}
	return false
}

// leave ends all holds of a process that is gone, and the call that it was in.
func (c *collector) leave(p *client, t int64, how ending) {
	for _, i := range p.inside {
		if h := &c.holds[i]; h.end > t {
			h.end, h.ended = t, how
		}
	}
	p.inside = p.inside[:0]
	c.abandon(p, t)
}

// abandon notes that an operation never returned.
func (c *collector) abandon(p *client, t int64) {
	if p.op == nil {
		return
	}
	c.unknown++
	if e := p.op; e.F == history.Acquire {
		c.calls = append(c.calls, call{process: p.process, n: e.N, keys: keysOf(e), from: e.T,
			to: max(t, e.T), outcome: history.Invoke, depth: e.Depth})
	}
	p.op = nil
}

func (c *collector) complete(p *client, e *history.Event) {
	if p.op == nil {
		return // the validator has refused such a history; a partial one may still be judged
	}
	if e.Type == history.Info {
		c.unknown++
	}
	switch e.F {
	case history.Acquire:
		c.acquired(p, e)
	case history.Release:
		for _, i := range p.ending {
			if h := &c.holds[i]; h.ended == released {
				h.answer = e.Type
				if e.Type != history.Info {
					h.returned = e.T
				}
				if !c.on(leaveAtInvocation) {
					h.end = e.T
				}
			}
		}
		p.ending = p.ending[:0]
	case history.ExtendOp:
		if e.Type == history.OK {
			c.extend(p, e, p.op)
		}
	}
}

func (c *collector) acquired(p *client, e *history.Event) {
	keys := keysOf(e)
	if e.Key == nil && e.Keys == nil {
		keys = keysOf(p.op)
	}
	depth := max(e.Depth, p.op.Depth)
	c.calls = append(c.calls, call{process: p.process, n: e.N, keys: keys, from: p.op.T,
		to: min(e.T, max(p.dead, p.op.T)), outcome: e.Type, depth: depth})
	if e.Type == history.Fail {
		for _, key := range keys {
			if outer := c.outer(p, key); outer >= 0 {
				c.shut = append(c.shut, shut{outer, p.op.T, e.T})
			}
		}
	}
	if e.Type != history.OK && (e.Type != history.Info || c.on(unknownNeverIn)) {
		return
	}
	for _, key := range keys {
		if outer := c.outer(p, key); outer >= 0 && c.on(nestedIsOne) {
			c.nested++
			p.nested[e.N] = outer
			c.prolong(&c.holds[outer], e, p.op)
			continue
		}
		p.inside = append(p.inside, len(c.holds))
		c.holds = append(c.holds, c.hold(p, e, key, depth))
	}
}

// outer returns the hold of a key that this client is in already, or -1. Holds of one process never
// conflict with each other: an inner one is part of the outermost.
func (c *collector) outer(p *client, key int) int {
	for _, i := range p.inside {
		if c.holds[i].key == key {
			return i
		}
	}
	return -1
}

// close ends what the record left open. Nobody is taken to be inside after the end of the record.
func (c *collector) close() {
	for i := range c.holds {
		if h := &c.holds[i]; h.end == forever {
			h.end, h.ended = c.end, open
		}
	}
	for _, p := range c.ordered() {
		c.abandon(p, c.end)
	}
}

// ordered returns the clients by number, so that a verdict never depends on the order of a map.
func (c *collector) ordered() []*client {
	var ps []*client
	for _, n := range slices.Sorted(maps.Keys(c.clients)) {
		ps = append(ps, c.clients[n])
	}
	return ps
}
