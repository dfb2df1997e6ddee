package checker

import "github.com/lockbench/lockbench/history"

// hold makes a hold of a grant, with its first lease.
func (c *collector) hold(p *client, e *history.Event, key, depth int) hold {
	h := hold{
		process: p.process, n: e.N, key: key, call: p.op.T, from: e.T, sent: p.op.T,
		end: p.dead, returned: forever, lost: forever, valid: forever, depth: depth,
	}
	if h.end < forever {
		h.ended = killed // it was granted between the stamp of the kill and the signal
	}
	g := e.Grant
	if g == nil {
		g = &history.Grant{}
	}
	h.node, h.token = g.Node, g.Token
	if g.ValidUntil != 0 && c.on(promiseEnds) {
		h.valid = g.ValidUntil
	}
	// A command cannot leave before the call began: a missing or wrong "sent" may only shorten the
	// lease.
	if g.Sent <= e.T {
		h.sent = max(h.sent, g.Sent)
	}
	if !c.on(leaseFromSending) {
		h.sent = e.T
	}
	h.granting = h.sent
	h.leases = []lease{{p.op.T, e.T, c.leaseEnd(h.sent, g.Lease)}}
	if c.declares.Lease && g.Lease == 0 {
		c.bare++
	}
	return h
}

// leaseEnd is the earliest instant at which a server that runs as fast as assumed may drop the key.
func (c *collector) leaseEnd(sent int64, d history.Duration) int64 {
	if d <= 0 {
		return forever
	}
	if !c.on(driftShortens) {
		return sent + int64(d)
	}
	return sent + int64(float64(d)*(1-c.drift))
}

// extend prolongs the hold that an extension is about.
func (c *collector) extend(p *client, e, invoked *history.Event) {
	if h := c.find(p, e); h != nil {
		c.prolong(h, e, invoked)
	}
}

// prolong adds a lease. It joins the one before if it was asked for before that one ended: the
// server, which granted it, has kept the key all the time. If not, nothing is known about the time
// between.
func (c *collector) prolong(h *hold, e, invoked *history.Event) {
	if e.Grant == nil {
		return
	}
	if e.Grant.ValidUntil != 0 {
		h.valid = e.Grant.ValidUntil
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
	h.sent = sent
	to, last := c.leaseEnd(sent, e.Grant.Lease), &h.leases[len(h.leases)-1]
	if sent <= last.to || !c.on(lateExtensionLeavesGap) {
		last.to = to
		return
	}
	h.leases = append(h.leases, lease{sent, e.T, to})
}

// find returns the hold that an extension or a loss is about, or nil: the innermost one counts for
// the outermost.
func (c *collector) find(p *client, e *history.Event) *hold {
	if outer, ok := p.nested[e.N]; ok {
		return &c.holds[outer]
	}
	for _, i := range p.inside {
		if h := &c.holds[i]; h.n == e.N && (e.Key == nil || *e.Key == h.key) {
			return h
		}
	}
	return nil
}
