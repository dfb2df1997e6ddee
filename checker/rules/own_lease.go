package rules

import (
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
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
		s := askedLease(c, h)
		if s == nil || s.lease >= h.Granted {
			continue
		}
		earlier := h.Granting - tryBegan(c, h) + int64(time.Millisecond)
		if s.lease+earlier >= h.Granted {
			h.ShortenLease(s.lease, c.keyFacts().lasts(h.Granting, s.lease))
		}
	}
}

// tryBegan returns the earliest moment at which a client can have begun the try that granted a
// hold: its call began, or the try before was over. A client may look at the key, clear it, or draw
// a token in a try before it takes the key.
func tryBegan(c *Case, h *record.Hold) int64 {
	t, ofGrant := try{began: h.Call}, c.ofGrant(h)
	for _, m := range c.trace.Tries(h) {
		if !ofGrant(m) {
			continue
		}
		t.resume(m)
		if m.Recv > h.Granting {
			break
		}
		t.add(&c.trace.Reader, m)
	}
	return t.began
}

// try is what a client did so far in a try to take a key.
type try struct {
	began  int64
	looked int64 // when its latest command was told that the key is there, or 0
	took   bool  // it may have taken the key, so that a deletion ends the try
}

// resume says how a client goes on after a look. The try ended if the next command is another look,
// or a take that needs a free key. Any other may clear or overwrite what the look has shown.
func (t *try) resume(m *history.Command) {
	if trace.Silent(m) || trace.EffectOf(m.Args).Kind == trace.Take {
		t.began = max(t.began, t.looked)
	}
	t.looked = 0
}

// add adds a command that was answered before the take.
func (t *try) add(r *trace.Reader, m *history.Command) {
	switch {
	case r.Refused(m), r.Frees(m) && t.took:
		t.began, t.took = m.Recv, false
	case trace.ShowsKey(r, m):
		t.looked = m.Recv
	default:
		t.took = t.took || r.MayWrite(m)
	}
}
