package record

import "github.com/lockbench/lockbench/internal/history"

// hold makes a hold of a grant, with its first lease.
func (c *Collector) hold(p *Client, e *history.Event, key, depth int) Hold {
	h := Hold{
		Process: p.Process, N: e.N, Key: key, Call: p.op.T, From: e.T, Sent: p.op.T,
		End: p.Dead, Returned: Forever, Lost: Forever, Valid: Forever, Depth: depth,
		Shared: p.op.Mode == history.Shared || e.Mode == history.Shared,
	}
	c.Shared = c.Shared || h.Shared
	if h.End < Forever {
		h.Ended = Killed // it was granted between the stamp of the kill and the signal
	}
	g := e.Grant
	if g == nil {
		g = &history.Grant{}
	}
	h.Node, h.Token = g.Node, g.Token
	if g.ValidUntil != 0 {
		h.Valid = g.ValidUntil
	}
	h.Promised, h.Granted = h.Valid, max(0, int64(g.Lease))
	// A command cannot leave before the call began: a missing or wrong "sent" may only shorten the
	// lease.
	if g.Sent <= e.T {
		h.Sent = max(h.Sent, g.Sent)
	}
	if l := p.early; l != nil && l.T >= h.Sent && (l.Key == nil || *l.Key == key) {
		h.Lost = l.T // else it was of an earlier try of this call
	}
	if g.Sent == 0 && g.Lease > 0 {
		h.Later = e.T - h.Sent + int64(2*c.drift*float64(g.Lease))
	}
	h.Granting = h.Sent
	h.Length = int64(g.Lease)
	h.Leases = []Lease{{Call: p.op.T, From: e.T, To: c.leaseEnd(h.Sent, g.Lease)}}
	return h
}

// leaseEnd returns the earliest instant at which a server that runs as fast as assumed may drop the
// key.
func (c *Collector) leaseEnd(sent int64, d history.Duration) int64 {
	if d <= 0 {
		return Forever
	}
	return sent + int64(float64(d)*(1-c.drift))
}

// extend prolongs the hold that an extension is about.
func (c *Collector) extend(p *Client, e, invoked *history.Event) {
	if h := c.find(p, e); h != nil {
		c.prolong(p, h, e, invoked)
	}
}

// prolong adds a lease. It joins the one before if it was asked for before that one ended: the
// server, which granted it, has kept the key all the time, unless an inner acquisition that is
// under way may have taken it anew. Otherwise nothing is known about the time between. A key that
// an inner acquisition took anew ends with it.
func (c *Collector) prolong(p *Client, h *Hold, e, invoked *history.Event) {
	if e.Grant == nil {
		return
	}
	if e.Grant.ValidUntil != 0 {
		h.Valid = e.Grant.ValidUntil
	}
	if e.Grant.Lease <= 0 {
		return
	}
	sent := e.Grant.Sent
	if invoked != e {
		sent = max(sent, invoked.T)
	}
	if sent <= 0 || sent > e.T {
		return // an extension that does not say when it was asked for prolongs nothing
	}
	h.Sent, h.Length = sent, int64(e.Grant.Lease)
	to, last := c.leaseEnd(sent, e.Grant.Lease), &h.Leases[len(h.Leases)-1]
	inner := last.Inner
	if e.T > last.To && p.reentering() {
		inner = p.op.N
	} else if sent <= last.To {
		last.prolong(sent, to)
		return
	}
	h.Leases = append(h.Leases, Lease{Call: sent, From: e.T, To: to, Inner: inner})
}

// reentering reports whether an inner acquisition of the client is under way.
func (p *Client) reentering() bool {
	return p.op != nil && p.op.F == history.Acquire && len(p.Inside) > 0
}

// reenter adds the lease of an inner acquisition. The lease of the outer one stands: if the key is
// given less, the trace shows it. If the outer lease was over before, the client may have taken the
// key anew. Then it has the key for the inner acquisition only.
func (h *Hold) reenter(inner *Hold) {
	last, to := &h.Leases[len(h.Leases)-1], inner.LeaseEnd()
	if inner.From > last.To {
		if inner.Length > 0 {
			h.Leases = append(h.Leases, Lease{Call: inner.Call, From: inner.From, To: to, Inner: inner.N})
		}
		return
	}
	if inner.Valid != Forever {
		h.Valid = max(h.Valid, inner.Valid)
	}
	if inner.Length > 0 && to > last.To {
		last.prolong(inner.Sent, to)
		h.Sent, h.Length = inner.Sent, inner.Length
	}
}

// leaveInner ends the leases that an inner acquisition took anew.
func (h *Hold) leaveInner(n int, t int64) {
	for i := range h.Leases {
		if l := &h.Leases[i]; n > 0 && l.Inner == n {
			l.cut(t)
		}
	}
}

// find returns the hold that an extension or a loss is about, or nil. For a re-entrant lock, the
// outermost hold stands for the inner ones.
func (c *Collector) find(p *Client, e *history.Event) *Hold {
	if in, ok := p.nested[e.N]; ok {
		return &c.Holds[in.outer]
	}
	for _, i := range p.Inside {
		if h := &c.Holds[i]; h.N == e.N && (e.Key == nil || *e.Key == h.Key) {
			return h
		}
	}
	return nil
}

// Idle reports whether nothing of the client is under way.
func (p *Client) Idle() bool { return p.op == nil && len(p.Inside) == 0 }

// Settle hands over the holds, in their order, up to the first that later events may still change,
// and forgets them. It also forgets everything that only the words of a violation need.
func (c *Collector) Settle(take func(h *Hold)) {
	first := c.unsettled()
	for i := range c.Holds[:first] {
		take(&c.Holds[i])
	}
	c.Holds = append(c.Holds[:0], c.Holds[first:]...)
	for _, p := range c.Running {
		for i := range p.Inside {
			p.Inside[i] -= first
		}
		for i := range p.ending {
			p.ending[i] -= first
		}
	}
	c.Marks, c.Slow, c.SelfRefused = c.Marks[:0], c.Slow[:0], c.SelfRefused[:0]
	clear(c.Releases)
}

// unsettled returns the index of the first hold that later events may still change. It does not
// support holds with inner ones.
func (c *Collector) unsettled() int {
	first := len(c.Holds)
	for _, p := range c.Running {
		for _, i := range p.Inside {
			first = min(first, i)
		}
		for _, i := range p.ending {
			first = min(first, i)
		}
	}
	return first
}
