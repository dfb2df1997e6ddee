package oracle

import (
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// Truth holds the actions of the servers of a run.
type Truth struct {
	*lives
	// messages may be late without a fault, so that commands time out
	Late   bool
	run    *simrun.Record
	record *record.Record
	header history.Header
	quorum int
	execs  []*execution
	losses []int64 // times when a server lost a key
}

// Truth derives the truth from a finished run.
func (r *Recorder) Truth(run *simrun.Record) *Truth {
	r.name(run.Trace, run.Epoch)
	slices.SortStableFunc(r.changes, compareChanges)
	h := run.History.Header
	names := trace.NamesOf(h.Names)
	t := &Truth{run: run, header: h, record: record.Build(&run.History), quorum: 1,
		execs: r.executions}
	if h.Topology == "independent" {
		t.quorum = h.Masters/2 + 1
	}
	t.lives = &lives{lockOf: names.Lock, granted: t.granted}
	t.follow(r.changes)
	for _, c := range r.changes {
		if c.How == engine.Lost || c.How == engine.Copied {
			t.losses = append(t.losses, c.T)
		}
	}
	return t
}

// granted reports whether a command granted the lock to its client. It did if it is the last
// writing command of its acquisition before the grant.
func (t *Truth) granted(e *execution) bool {
	w := e.who()
	for i := range t.record.Holds {
		h := &t.record.Holds[i]
		if h.Process != w.Process || h.N != w.N || e.command == nil || e.command.Sent > h.From {
			continue
		}
		return !slices.ContainsFunc(t.run.Trace, func(m history.Command) bool {
			return m.Process == w.Process && m.N == w.N && m.Sent > e.command.Sent && m.Sent < h.From &&
				trace.EffectOf(m.Args).Kind.Writes()
		})
	}
	return false
}

// timedOut reports whether messages that were late without a fault made a command time out or
// delayed its reply by more than 100 ms. In a run without faults, each time-out counts: a
// command that its client sends late may time out.
func (t *Truth) timedOut() bool {
	const slow = 100 * ms
	calm := len(t.record.Faults) == 0
	return slices.ContainsFunc(t.run.Trace, func(m history.Command) bool {
		return calm && m.Why == history.TimedOut || t.Late && (m.Err != "" || m.Recv-m.Sent > slow)
	})
}

// hold returns the hold of an acquisition, or nil.
func (t *Truth) hold(process, n, key int) *record.Hold {
	for i := range t.record.Holds {
		if h := &t.record.Holds[i]; h.Process == process && h.N == n && h.Key == key {
			return h
		}
	}
	return nil
}

// livesOf returns the lives of the keys that belong to a hold, by node. It returns the latest keys
// that its acquisition wrote, or else the keys of its client that existed at the time of the grant.
// A replica may copy the key later.
func (t *Truth) livesOf(h *record.Hold) map[string]*life {
	own, left := map[string]*life{}, map[string]*life{}
	for _, l := range t.all {
		earlier := t.quorum > 1 && l.goneAt() <= h.Granting // from an attempt that was given up
		copied := t.quorum == 1 && l.origin != nil && own[l.origin.node] == l.origin
		if l.lock != h.Key || l.owner.Process != h.Process || l.born > h.From && !copied || earlier {
			continue
		}
		if l.owner.N == h.N {
			own[l.node] = l
		} else if l.goneAt() > h.Call {
			left[l.node] = l
		}
	}
	for node, l := range left {
		if own[node] == nil && !t.written(h, own) {
			own[node] = l
		}
	}
	return own
}

// written reports whether an acquisition itself wrote the lock on some node.
func (t *Truth) written(h *record.Hold, own map[string]*life) bool {
	for _, l := range own {
		if l.owner.N == h.N {
			return true
		}
	}
	return false
}

// cause is the reason why a hold did not keep the next one out.
type cause struct {
	kind  string
	node  string
	life  *life // the key of the earlier hold
	next  *life // the key of the later hold
	late  bool  // for a deletion: it was sent before the key was written
	other who   // for a deletion or an overwrite: its author
}

// The kinds of causes besides the endings of lives.
const (
	neverWritten = "never written"             // no server had a key for the first hold
	noGrant      = "no grant"                  // no server had a key for the second hold
	absent       = "absent on this node"       // the server of the second hold never had it
	alive        = "there when it was granted" // an impossible case
)

// causes returns the reasons why the second hold could be granted despite the first, one for each
// node that granted the second.
func (t *Truth) causes(a, b *record.Hold) (all []cause) {
	first, second := t.livesOf(a), t.livesOf(b)
	switch {
	case len(first) == 0:
		return []cause{{kind: neverWritten}}
	case len(second) == 0:
		return []cause{{kind: noGrant}}
	}
	for node, next := range second {
		l := first[node]
		if next.origin != nil && second[next.origin.node] == next.origin {
			continue // a copy of a key that another node granted
		}
		switch {
		case l == nil && t.quorum > 1 && first[master(node)] == nil:
		case l == nil:
			all = append(all, cause{kind: absent, node: node, next: next})
		default:
			all = append(all, t.causeOf(l, next))
		}
	}
	if len(all) == 0 {
		all = append(all, cause{kind: absent})
	}
	slices.SortFunc(all, func(a, b cause) int { return compareStrings(a.node, b.node) })
	return all
}

// master returns the name of the server that a node replicates.
func master(node string) string { return "n" + strings.TrimPrefix(node, "r") }

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// causeOf returns how the first hold's key ended before the second one's key was written. For a
// copy it looks at the original on the master.
func (t *Truth) causeOf(l, next *life) cause {
	c := cause{kind: string(l.how), node: l.node, life: l, next: next}
	end := l
	for end.how == replaced && end.origin != nil {
		end = end.origin
	}
	switch {
	case l.goneAt() > next.born:
		c.kind = alive
	case end.how == open && end.goneAt() <= next.born:
		c.kind = string(expired)
	case end.how == open, end.how == replaced:
		c.kind = string(lost) // its master no longer had it, or it replicated another one
	default:
		c.kind = string(end.how)
	}
	c.other = end.ender.who()
	c.late = end.ender.sent() < l.born
	return c
}

// leaseOver returns the time when fewer than a quorum of the leases in force at a time are left.
func (t *Truth) leaseOver(h *record.Hold, at int64) int64 {
	var ends []int64
	for _, l := range t.livesOf(h) {
		ends = append(ends, l.dueAt(at))
	}
	slices.Sort(ends)
	if len(ends) < t.quorum {
		return 0
	}
	return ends[len(ends)-t.quorum]
}
