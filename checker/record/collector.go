package record

import (
	"maps"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// Collector builds a record from events in the order of their stamps.
type Collector struct {
	Record
	declares history.Declares
	drift    float64
	Running  map[int]*Client // by process
	begun    map[int]int     // number of a fault that has not ended -> its index
}

// Client is the state of one process.
type Client struct {
	Process int
	op      *history.Event  // invocation without completion
	Inside  []int           // indices of the holds that have not ended, outermost first
	ending  []int           // holds whose release is open
	nested  map[int]nesting // by n
	leaving int             // index of the hold whose inner acquisition the open release is of, or -1
	release *history.Event  // a release call that has not come back
	early   *history.Event  // a loss that the open acquire was told of before its grant
	Last    int64           // its latest call or return
	Dead    int64           // stamp of its kill, else forever
}

// nesting is an acquisition by a client that was inside already.
type nesting struct{ outer, inner int } // index into holds, and into inner

// Build reads a history into the form that the rules judge.
//
// A hold is taken to last only while its client was certainly inside; wherever the record leaves a
// doubt, the shorter time is taken, so that no doubt can become an alarm:
//   - it begins when the acquire has returned, not when the server may have granted it;
//   - it ends when a release is invoked, whatever becomes of it: the client has left;
//   - it ends at the kill, stamped before the signal, and with a process that vanished at the last
//     sign of life;
//   - it ends when a client acquires anew without a release, unless the lock is re-entrant;
//   - an acquire without a known "ok" never holds: its client does not enter.
func Build(h *history.History) *Record {
	c := NewCollector(h.Header)
	c.reserve(h.Events)
	for i := range h.Events {
		c.Add(&h.Events[i])
	}
	return c.Finish(h)
}

// Finish returns the record. It needs only the header and the last event of h.
func (c *Collector) Finish(h *history.History) *Record {
	c.close()
	c.seal(h)
	return &c.Record
}

// reserve makes room for what the events will be read into: of a million operations these are
// hundreds of megabytes, which should not be copied while they grow.
func (c *Collector) reserve(events []history.Event) {
	holds, inner, calls := 0, 0, 0
	for i := range events {
		e := &events[i]
		switch {
		case e.F != history.Acquire:
		case e.Type == history.Invoke:
			calls++
		case e.Type == history.OK && e.Depth > 0:
			inner += max(1, len(e.Keys))
		case e.Type == history.OK:
			holds += max(1, len(e.Keys))
		}
	}
	c.Holds, c.Inner, c.Calls = make([]Hold, 0, holds), make([]Hold, 0, inner), make([]Call, 0, calls)
}

// NewCollector returns a collector for a run with this header. Most callers want Of instead: a
// collector is for events that are still coming.
func NewCollector(h history.Header) *Collector {
	return &Collector{Record: Record{Releases: map[int][]Interval{}, Trust: Trust{Cut: Forever}},
		declares: h.Declares, drift: h.Drift, Running: map[int]*Client{}, begun: map[int]int{}}
}

// Add takes the next event. Events of one process must come in order.
func (c *Collector) Add(e *history.Event) {
	c.End = max(c.End, e.T)
	switch {
	case e.Type == history.Gap && e.F != "":
		c.Slow = append(c.Slow, Slow{e.F, e.Target, Interval{e.T - int64(e.Gap), e.T, e.Process}})
	case e.Type == history.Gap:
		c.Gaps = append(c.Gaps, Gap{Process: e.Process, Node: e.Target, From: e.T - int64(e.Gap),
			To: e.T, Planned: e.Planned, NoLeader: e.Why == history.NoLeader})
	case e.Type == history.Fault:
		c.fault(e)
	}
	if e.Process < 0 {
		return
	}
	p := c.Client(e.Process)
	switch e.Type {
	case history.Gap:
	case history.Kill:
		p.Dead = min(p.Dead, e.T)
		c.leave(p, e.T, Killed)
	case history.Exit:
		c.Trust.exit(e, p.Dead < Forever)
		c.leave(p, p.Last, Vanished)
	default:
		if e.Type == history.Invoke || e.Type.Completes() { // others may be seen before a call is
			p.Last = max(p.Last, e.T)
		}
		c.operation(p, e)
	}
	if !e.Type.Completes() && e.Type != history.Invoke || e.F == history.ExtendOp &&
		e.Type == history.OK {
		c.Marks = append(c.Marks, e)
	}
}

// Client returns the state of a process.
func (c *Collector) Client(process int) *Client {
	p := c.Running[process]
	if p == nil {
		p = &Client{Process: process, Dead: Forever, nested: map[int]nesting{}, leaving: -1}
		c.Running[process] = p
	}
	return p
}

func (c *Collector) operation(p *Client, e *history.Event) {
	switch {
	case e.Type == history.Invoke:
		c.Operations++
		p.op = e
		c.invoke(p, e)
	case e.Type.Completes():
		c.released(p, e)
		c.complete(p, e)
		p.op = nil
	case e.Type == history.Extend:
		c.extend(p, e, e)
	case e.Type == history.Lost:
		if h := c.find(p, e); h != nil {
			h.Lost = min(h.Lost, e.T)
		} else if p.op != nil && p.op.F == history.Acquire && p.op.N == e.N {
			p.early = keepLoss(e)
		}
	}
}

// keepLoss returns a copy of a loss: an event is valid only while it is added.
func keepLoss(e *history.Event) *history.Event {
	l := *e
	if e.Key != nil {
		l.Key = history.Ptr(*e.Key)
	}
	return &l
}

func (c *Collector) invoke(p *Client, e *history.Event) {
	switch e.F {
	case history.Acquire:
		if !c.declares.Reentrant {
			c.endHolds(p, KeysOf(e), 0, e.T, Again)
		}
	case history.Release:
		p.release = e
		in, inner := p.nested[e.N]
		if inner {
			c.leaveInner(p, in.outer, e.N, e.T)
			c.Inner[in.inner].End, c.Inner[in.inner].Ended = e.T, Released
		}
		delete(p.nested, e.N) // of a nested acquisition: the outermost hold goes on
		n := e.N
		if !inner && !c.holdsN(p, n) {
			n = 0 // the hold is unknown: for safety, all of its keys
		}
		c.endHolds(p, KeysOf(e), n, e.T, Released)
	}
}

// leaveInner takes the call of an inner release. Until it has succeeded, it is unsure how many
// acquisitions the server counts. The key that it took anew is not the outer one's.
func (c *Collector) leaveInner(p *Client, outer, n int, t int64) {
	h := &c.Holds[outer]
	h.InnerReleased = t
	h.leaveInner(n, t)
	if p.leaving = outer; h.InnerUnsure == 0 {
		h.InnerUnsure = t
	}
}

// leftInner takes the completion of a release.
func (c *Collector) leftInner(p *Client, e *history.Event) {
	if p.leaving >= 0 && e.Type == history.OK {
		if h := &c.Holds[p.leaving]; h.InnerUnsure == h.InnerReleased {
			h.InnerUnsure = 0
		}
	}
	p.leaving = -1
}

// endHolds ends the holds of the given keys; n 0 means whichever acquisition they are of.
func (c *Collector) endHolds(p *Client, keys []int, n int, t int64, how Ending) {
	p.ending = p.ending[:0]
	kept := p.Inside[:0]
	for _, i := range p.Inside {
		h := &c.Holds[i]
		if !slices.Contains(keys, h.Key) || n != 0 && h.N != n {
			kept = append(kept, i)
			continue
		}
		h.End, h.Ended = min(h.End, t, p.Dead), how
		if how == Released {
			p.ending = append(p.ending, i)
		}
	}
	p.Inside = kept
}

func (c *Collector) holdsN(p *Client, n int) bool {
	return slices.ContainsFunc(p.Inside, func(i int) bool { return c.Holds[i].N == n })
}

// leave ends all holds of a process that is gone, and the call that it was in.
func (c *Collector) leave(p *Client, t int64, how Ending) {
	for _, i := range p.Inside {
		if h := &c.Holds[i]; h.End > t {
			h.End, h.Ended = t, how
		}
	}
	p.Inside = p.Inside[:0]
	for _, in := range p.nested {
		c.Inner[in.inner].End, c.Inner[in.inner].Ended = t, how
	}
	clear(p.nested)
	c.abandon(p, t)
}

// abandon notes that an operation never returned.
func (c *Collector) abandon(p *Client, t int64) {
	if p.op == nil {
		return
	}
	c.Unknown++
	if e := p.op; e.F == history.Acquire {
		c.Calls = append(c.Calls, Call{Process: p.Process, N: e.N, Keys: KeysOf(e), From: e.T,
			To: max(t, e.T), Outcome: history.Invoke, Depth: e.Depth, Shared: e.Mode == history.Shared})
	}
	p.op = nil
}

func (c *Collector) complete(p *Client, e *history.Event) {
	if p.op == nil {
		return // the validator has refused such a history; a partial one may still be judged
	}
	if e.Type == history.Info {
		c.Unknown++
	}
	switch e.F {
	case history.Acquire:
		c.acquired(p, e)
	case history.Release:
		c.leftInner(p, e)
		for _, i := range p.ending {
			if h := &c.Holds[i]; h.Ended == Released {
				h.Answer, h.Returned = e.Type, e.T
			}
		}
		p.ending = p.ending[:0]
	case history.ExtendOp:
		if e.Type == history.OK {
			c.extend(p, e, p.op)
		}
	}
}

// released notes when a release call was open, and its answer.
func (c *Collector) released(p *Client, e *history.Event) {
	if e.F != history.Release || p.release == nil {
		return
	}
	if e.Type == history.Fail {
		c.RefusedReleases++
	}
	c.Releases[p.Process] = append(c.Releases[p.Process], Interval{From: p.release.T, To: e.T,
		Process: p.Process})
	p.release = nil
}

func (c *Collector) acquired(p *Client, e *history.Event) {
	keys := KeysOf(e)
	if e.Key == nil && e.Keys == nil {
		keys = KeysOf(p.op)
	}
	depth := max(e.Depth, p.op.Depth)
	c.Calls = append(c.Calls, Call{Process: p.Process, N: e.N, Keys: keys, From: p.op.T,
		To: min(e.T, max(p.Dead, p.op.T)), Outcome: e.Type, Why: e.Why, Err: e.Err, Depth: depth,
		Shared: p.op.Mode == history.Shared})
	if e.Type == history.Fail && e.Why.Denied() {
		for _, key := range keys {
			if outer := c.outer(p, key); outer >= 0 {
				c.SelfRefused = append(c.SelfRefused, SelfRefusal{outer, p.op.T, e.T})
			}
		}
	}
	if e.Type != history.OK {
		return
	}
	for _, key := range keys {
		if outer := c.outer(p, key); outer >= 0 {
			p.nested[e.N] = nesting{outer, len(c.Inner)}
			c.Inner = append(c.Inner, c.hold(p, e, key, depth))
			c.Holds[outer].reenter(&c.Inner[len(c.Inner)-1])
			continue
		}
		h := c.hold(p, e, key, depth)
		if c.declares.Lease && (h.Granted == 0 || h.Later > 0 && h.From >= h.LeaseEnd()) {
			c.WithoutLease++
		}
		p.Inside, c.Holds = append(p.Inside, len(c.Holds)), append(c.Holds, h)
	}
}

// outer returns the hold of a key that this client is in already, or -1. Holds of one process never
// conflict with each other: an inner one is part of the outermost.
func (c *Collector) outer(p *Client, key int) int {
	for _, i := range p.Inside {
		if c.Holds[i].Key == key {
			return i
		}
	}
	return -1
}

// close ends the calls and holds that the record left open. It assumes no client inside after the
// end of the record.
func (c *Collector) close() {
	for i := range c.Holds {
		if h := &c.Holds[i]; h.End == Forever {
			h.End, h.Ended = c.End, Open
		}
	}
	for i := range c.Inner {
		c.Inner[i].End = min(c.Inner[i].End, c.End)
	}
	for _, p := range c.ordered() {
		c.abandon(p, c.End)
		if p.release != nil {
			c.Releases[p.Process] = append(c.Releases[p.Process], Interval{From: p.release.T, To: Forever,
				Process: p.Process})
		}
	}
}

// seal completes the record with the facts that depend on the whole history.
func (c *Collector) seal(h *history.History) {
	for p := range min(h.Header.Clients, 4096) {
		c.Client(p)
	}
	c.Clients = slices.Sorted(maps.Keys(c.Running))
	for i := range c.Gaps {
		g := &c.Gaps[i]
		g.Planned = g.Planned || slices.ContainsFunc(c.Faults, func(f Fault) bool {
			return (f.Hits(g.Process) || g.Node != "" && f.hitsServers()) && f.From <= g.To &&
				g.From <= f.To
		})
	}
	c.Trust.seal(&c.Record, h)
}

// ordered returns the clients by number, so that a verdict never depends on the order of a map.
func (c *Collector) ordered() []*Client {
	var ps []*Client
	for _, n := range slices.Sorted(maps.Keys(c.Running)) {
		ps = append(ps, c.Running[n])
	}
	return ps
}
