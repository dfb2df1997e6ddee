package checker

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/lockbench/lockbench/history"
)

// owner judges that only the owner releases: no client deletes the key while the lock is surely
// another's.
//
// It is certain that a deletion hit another's key if all of these hold: it replied that it deleted
// something; its window lies inside another client's hold while the lease is valid; that client's
// key was granted by the same node, and the grant was over before the deletion was sent; and nobody
// else can have written the key on that node since, above all not the deleter itself. (That last
// condition is what tells a deletion of another's key from one of the deleter's own after a
// failover has granted twice.) Where no reply tells, it may be certain because nothing else is
// possible: see gone.
func (c *check) owner() Property {
	switch {
	case len(c.trace) == 0:
		return Property{
			Reason: "there is no trace of Redis commands, and without one nobody can tell whose key a release deleted"}
	case c.history.Header.Topology == "independent":
		return Property{
			Verdict: NA,
			Reason:  "a deletion on one of several independent servers does not release the lock"}
	}
	spans := c.record.spans(whileLeased, c.trust.cut)
	grants := c.grants()
	for i := range c.trace {
		m := &c.trace[i]
		if !c.deleted(m) {
			continue
		}
		key, known := grants.lockOf(m)
		if !known {
			continue
		}
		if h := c.robbed(m, spans[key], grants); h != nil {
			return c.robbery(m, h, grants)
		}
	}
	if len(grants.holds) == 0 {
		return Property{Reason: "the trace shows no command that granted the lock"}
	}
	for _, key := range sortedKeys(spans) {
		if p, ok := c.gone(key, spans[key], grants); ok {
			return p
		}
	}
	return Property{Verdict: Valid}
}

// releasing reports whether the command was sent by a release call.
func (c *check) releasing(m *history.Command) bool {
	calls := c.releases[m.Process] // in order: a process has one call at a time
	i := sort.Search(len(calls), func(i int) bool { return calls[i].from > m.Sent }) - 1
	return i >= 0 && m.Sent <= calls[i].to
}

// grants is what the trace shows of who was granted what.
type grants struct {
	names names
	keys  map[string]int           // Redis key -> lock, where the header does not name them
	holds map[int]*history.Command // hold -> the command that granted it
	// Redis key -> commands that granted, or that may have for all that is known
	maybe map[string][]*history.Command
}

func (c *check) grants() grants {
	g := grants{names: c.history.Header.Names, keys: map[string]int{},
		holds: map[int]*history.Command{}, maybe: map[string][]*history.Command{}}
	granted := map[*history.Command]bool{}
	for i := range c.record.holds {
		if m := c.grantOf(&c.record.holds[i]); m != nil {
			g.holds[i], granted[m] = m, true
			g.keys[keyOfCommand(m)] = c.record.holds[i].key
		}
	}
	unsure := c.unsureCalls()
	for i := range c.trace {
		m := &c.trace[i]
		lost := m.Recv == 0 || m.Err != ""
		wrote := c.reader.takes(m) && (c.reader.declared(m) != nil || unsure[[2]int{m.Process, m.N}])
		if granted[m] || (lost || wrote) && !c.frees(m) {
			g.maybe[keyOfCommand(m)] = append(g.maybe[keyOfCommand(m)], m)
		}
	}
	return g
}

// unsureCalls returns the acquire calls whose outcome nobody knows.
func (c *check) unsureCalls() map[[2]int]bool {
	out := map[[2]int]bool{}
	for _, k := range c.record.calls {
		if k.outcome != history.OK && k.outcome != history.Fail {
			out[[2]int{k.process, k.n}] = true
		}
	}
	return out
}

// robbed returns the hold whose key a deletion certainly hit although it was another client's, or
// nil.
func (c *check) robbed(m *history.Command, ss []span, g grants) *hold {
	i, _ := slices.BinarySearchFunc(ss, m.Sent, func(s span, t int64) int {
		return cmp.Compare(s.from, t)
	})
	for i--; i >= 0; i-- {
		s := ss[i]
		h := &c.record.holds[s.hold]
		if s.end > m.Recv && h.process != m.Process { // equal stamps are concurrent, here and above
			if ga := g.holds[int(s.hold)]; ga != nil && c.certainly(m, ga, g) {
				return h
			}
		}
		if s.end <= m.Sent {
			// earlier spans of a lock that keeps L are over too; of one that does not, the overlap is told
			// by L
			return nil
		}
	}
	return nil
}

func (c *check) certainly(m, ga *history.Command, g grants) bool {
	if ga.Node != m.Node {
		return false
	}
	return !slices.ContainsFunc(g.maybe[keyOfCommand(m)], func(w *history.Command) bool {
		over := w.Recv != 0 && w.Err == "" && w.Recv < ga.Sent
		return w.Process != ga.Process && w.Node == m.Node && !over && w.Sent < m.Recv
	})
}

func (c *check) robbery(m *history.Command, h *hold, g grants) Property {
	p := Property{Verdict: Violated, Class: ReleasedByNonOwner}
	var ga *history.Command
	for i := range c.record.holds {
		if &c.record.holds[i] == h {
			ga = g.holds[i]
		}
	}
	w := &Witness{Key: h.key, Holds: []Hold{witnessHold(h, span{from: h.from, end: h.end})}}
	if own := c.holdOf(m); own != nil {
		w.Holds = append([]Hold{witnessHold(own, span{from: own.from, end: own.end})}, w.Holds...)
		for i := range c.record.holds {
			if own == &c.record.holds[i] && g.holds[i] != nil {
				w.Commands = append(w.Commands, WitnessCommand{*g.holds[i], fmt.Sprintf("grants client %d",
					own.process)})
			}
		}
		if own.leaseEnd() <= m.Sent {
			w.Commands = append(w.Commands, WitnessCommand{history.Command{Process: history.Harness,
				Sent: own.leaseEnd()}, fmt.Sprintf("the lease of client %d ends", own.process)})
		}
	}
	w.Commands = append(w.Commands, WitnessCommand{*ga, fmt.Sprintf("grants client %d", h.process)},
		WitnessCommand{*m, fmt.Sprintf("deletes the key of client %d", h.process)})
	slices.SortStableFunc(w.Commands, func(a, b WitnessCommand) int {
		return cmp.Compare(a.Sent, b.Sent)
	})
	p.Witness = w
	p.Explanation = fmt.Sprintf(
		"Client %d was granted lock %d at %s, and its lease was valid until %s. At %s client %d sent %q, and was told that it deleted the key: client %d's. Class: %s.",
		h.process, h.key, at(h.from), until(h.leaseAt(m.Sent)), at(m.Sent), m.Process, c.said(m),
		h.process, p.Class)
	return p
}

// holdOf returns the hold that the sender of a command was busy with, or nil.
func (c *check) holdOf(m *history.Command) *hold {
	var own *hold
	for i := range c.record.holds {
		if h := &c.record.holds[i]; h.process == m.Process && h.from <= m.Sent &&
			(m.N == 0 || m.N == h.n) {
			own = h
		}
	}
	return own
}
