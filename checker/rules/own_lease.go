package rules

import (
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
)

// shortenLeases shortens the leases of grants that do not name their end. A lock may count such a
// lease from the beginning of a try, before it sends the command. The command then asks for the
// time that is left, as ShedLock's does.
func shortenLeases(c *Case) {
	if c.history.Header.Declares.Validity || !c.trace.Named() {
		return
	}
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
		if h.Granting-h.Call < int64(time.Millisecond) {
			continue
		}
		earlier := h.Granting - tryBegan(c, h) + int64(time.Millisecond)
		if s := askedLease(c, h); s != nil && s.lease < h.Granted && s.lease+earlier >= h.Granted {
			h.ShortenLease(s.lease, c.keyFacts().lasts(h.Granting, s.lease))
		}
	}
}

// tryBegan returns the earliest moment at which a client can have begun the try that granted a
// hold: its call began, or the try before was over. The take need not be the first command of a
// try, which may first look at the key or draw a token.
func tryBegan(c *Case, h *record.Hold) int64 {
	began, ofGrant := h.Call, c.ofGrant(h)
	for _, m := range c.trace.Tries(h) {
		over := c.trace.Refused(m) || c.trace.Frees(m) || trace.ShowsKey(&c.trace.Reader, m)
		if m.Recv <= h.Granting && ofGrant(m) && over {
			began = max(began, m.Recv)
		}
	}
	return began
}
