package record

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
