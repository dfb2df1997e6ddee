package rules

import (
	"maps"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// request is a lease that a lock's commands asked for.
type request struct {
	commands []*history.Command // the last ones before the return that took or prolonged the key
	lease    int64              // ns from the beginning of the promise
}

// shortLease returns the lease of a grant if it is shorter than promised, or nil. A millisecond and
// the declared drift are allowed for.
func (c *Case) shortLease(h *record.Hold) *request {
	s := askedLease(c, h)
	slack := int64(time.Millisecond) + int64(c.history.Header.Drift*float64(h.Granted))
	if s == nil || s.lease+slack >= h.Granted {
		return nil
	}
	return s
}

// askedLease returns the lease that the commands of a grant asked for, or nil if it is not known.
// What counts is the last command on each server that took or prolonged the key before the call
// returned, and how long after its sending the key may be gone. It is not known if a script hides
// it, or if the command says a time of day.
func askedLease(c *Case, h *record.Hold) *request {
	if h.Granted == 0 || h.Shared || !c.trace.Named() || c.ownClockMoved(h) {
		return nil
	}
	s := &request{commands: c.keyFacts().lives(h)}
	if len(s.commands) < c.quorum() {
		return nil
	}
	for _, m := range s.commands {
		if _, known := c.trace.Asked(m); !known {
			return nil
		}
	}
	s.lease = deliveryRule{c}.expiry(s.commands, 0) - h.Granting
	return s
}

// lives returns the last command on each server that took or prolonged the lock's key before the
// call returned. If several keys may be the lock's, it is the one that lasts longest.
func (c keyFacts) lives(h *record.Hold) []*history.Command {
	return c.lived.get(h, func(*record.Hold) []*history.Command { return longestLives(c, h) })
}

func longestLives(c keyFacts, h *record.Hold) (last []*history.Command) {
	ofGrant, ofKey := c.ofGrant(h), map[trace.Place]*history.Command{}
	for _, m := range c.trace.Tries(h) {
		at, kept := trace.PlaceOf(m), trace.KeepsEnd(m)
		if m.Recv <= h.From && (c.trace.MayVote(m) || c.trace.Frees(m)) && ofGrant(m) &&
			!(kept && ofKey[at] != nil) {
			ofKey[at] = m
		}
	}
	longest := map[string]*history.Command{}
	for _, m := range c.trace.Tries(h) {
		if o := longest[m.Node]; ofKey[trace.PlaceOf(m)] == m && (o == nil || c.outlasts(m, o)) {
			longest[m.Node] = m
		}
	}
	for _, node := range slices.Sorted(maps.Keys(longest)) {
		last = append(last, longest[node])
	}
	return last
}

// outlasts reports whether a command may have given its key a later end than another.
func (c keyFacts) outlasts(m, other *history.Command) bool {
	mine, known := c.trace.Asked(m)
	others, alsoKnown := c.trace.Asked(other)
	return !known || alsoKnown && m.Sent+mine > other.Sent+others
}

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
