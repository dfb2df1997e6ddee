package rules

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// delivery judges that a grant is good when it is delivered. When the last reply that it needs
// arrives, the validity that the lock says is not over; it is not later than the end of the lease
// that the granting command asked for, counted from its sending; and the owner's value is on the
// quorum. A lock reads its clock and counts its votes after that reply, so no pause and no late
// message can excuse it; what happens between the reply and the return is left out, and so is all
// that takes a key away that was there: a loss, a moved clock, another client's deletion. A client
// whose own clock was moved is not judged by its validity.
func (c *Case) delivery() property {
	promises, judged := 0, 0
	ballots := ballots{Case: c, sure: map[int]map[*history.Command]bool{}}
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
		if h.From >= c.trust.Cut {
			continue
		}
		b := ballots.of(h)
		said := h.Promised != record.Forever
		if said {
			promises++
		}
		if said || len(b.took) >= c.quorum() {
			judged++
		}
		if p, bad := c.undelivered(h, b, said && !c.ownClockMoved(h)); bad {
			return p
		}
	}
	switch {
	case promises == 0 && c.history.Header.Declares.Validity && len(c.Record.Holds) > 0:
		return unknown("the lock promises a validity, but no grant says one")
	case judged == 0:
		return notApplicable("the lock says no validity, and no trace shows its votes")
	}
	return valid
}

// undelivered is the violation by one grant, and whether there is one.
func (c *Case) undelivered(h *record.Hold, b ballot, promised bool) (p property, bad bool) {
	switch {
	case promised && h.Promised < b.at:
		p = violated(h.Key, whole(h))
		p.Explanation = explain.OverAtDelivery(h, b.at)
	case promised && h.Promised > b.expires:
		p = violated(h.Key, whole(h))
		p.Explanation = explain.PromisedBeyondLease(h, b.expires)
	case c.noQuorum(b):
		p = violated(h.Key, whole(h))
		p.Explanation = explain.NoQuorum(h, len(b.refused), c.masters(), c.quorum())
	default:
		return p, false
	}
	for _, m := range b.took {
		p.Witness.Commands = append(p.Witness.Commands, grantedBy(m, h))
	}
	for _, m := range b.refused {
		p.Witness.Commands = append(p.Witness.Commands, command{Command: *m, Kind: verdict.Denial,
			Effect: explain.NotGranted(m)})
	}
	inOrder(p.Witness.Commands)
	return p, true
}

// noQuorum reports whether so few servers can have granted that it was no grant.
func (c *Case) noQuorum(b ballot) bool {
	return len(b.took) < c.quorum() && c.masters()-len(b.refused) < c.quorum()
}

// masters is how many servers are asked.
func (c *Case) masters() int {
	if c.independent() {
		return c.history.Header.Masters
	}
	return 1
}

// quorum is how many of them must grant.
func (c *Case) quorum() int { return c.masters()/2 + 1 }

// ownClockMoved reports whether the clock of a hold's client had been moved before the grant.
func (c *Case) ownClockMoved(h *record.Hold) bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.MovesClock() && f.From < h.From && (f.Hits(h.Process) || f.Target == "*")
	})
}

// ballots finds the votes of grants.
type ballots struct {
	*Case
	// by process: the refusals of servers that certainly had nothing of this client
	sure map[int]map[*history.Command]bool
}

// ballot is how servers answered the acquire call of a hold.
type ballot struct {
	took    []*history.Command // the last command on each server that took the lock, by the reply
	refused []*history.Command // the last command on each server that certainly has not granted it
	at      int64              // the last reply that the grant needed
	expires int64              // when fewer than the quorum keep it by their leases; Forever: unknown
}

// of reads the votes of one grant.
func (s *ballots) of(h *record.Hold) (b ballot) {
	b.at, b.expires = h.Granting, record.Forever
	if h.Granting > h.Call && h.Granted > 0 {
		b.expires = h.Granting + h.Granted
	}
	for _, m := range s.lastWords(h) {
		switch {
		case s.trace.Takes(m):
			b.took = append(b.took, m)
		case s.trace.Named() && s.certain(h.Process)[m]:
			b.refused = append(b.refused, m)
		}
	}
	slices.SortStableFunc(b.took, func(x, y *history.Command) int {
		return cmp.Compare(x.Recv, y.Recv)
	})
	if q := s.quorum(); len(b.took) >= q {
		b.at = max(b.at, b.took[q-1].Recv)
		b.expires = expiry(b.took, h.Granted, q)
	}
	return b
}

// lastWords are the commands by which a client took or gave back the lock last before it came in,
// or was refused it, one for each server. A vote whose taking back was not answered is none.
func (s *ballots) lastWords(h *record.Hold) (words []*history.Command) {
	last := map[string]*history.Command{}
	for _, m := range s.trace.Tries(h) {
		if m.Recv <= h.From && (s.trace.Takes(m) || s.trace.Refused(m) || s.trace.Frees(m)) {
			last[m.Node] = m
		}
	}
	for _, node := range slices.Sorted(maps.Keys(last)) {
		words = append(words, last[node])
	}
	return words
}

// expiry returns when fewer than a quorum of the grants are left by their leases; Forever if it
// cannot be told.
func expiry(took []*history.Command, lease int64, quorum int) int64 {
	var ends []int64
	for _, m := range took {
		e := trace.EffectOf(m.Args).Expiry
		length := cmp.Or(int64(e.Seconds*1e9), lease)
		if e.Absolute || length == 0 {
			return record.Forever
		}
		ends = append(ends, m.Sent+length)
	}
	slices.Sort(ends)
	return ends[len(ends)-quorum]
}

// certain returns the refusals of a client by servers on which it certainly had nothing: neither a
// command that took the lock and was not undone, nor one whose reply it never read.
func (s *ballots) certain(process int) map[*history.Command]bool {
	if sure, known := s.sure[process]; known {
		return sure
	}
	type place struct{ node, key string }
	had, sure := map[place]bool{}, map[*history.Command]bool{}
	lost := map[place]bool{}
	for _, m := range s.trace.Sent[process] {
		at := place{m.Node, trace.Key(m)}
		switch {
		case s.trace.Refused(m):
			sure[m] = !had[at] && !lost[at]
		case m.Recv == 0 || m.Err != "":
			lost[at] = lost[at] || !s.trace.Frees(m)
		case s.trace.Frees(m):
			had[at] = false
		case s.trace.Takes(m):
			had[at] = true
		}
	}
	s.sure[process] = sure
	return sure
}
