package checker

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
)

// evidence counts what a history exercised.
func (c *check) evidence() Evidence {
	e := Evidence{
		Acquisitions:   len(c.record.holds) + c.record.nested,
		NestedAcquires: c.record.nested,
		Contended:      contended(c.record),
		Aimed:          c.history.Header.Requires.Hits,
		Hits:           c.struck(),
		AfterFailover:  c.afterFailover(),
		Unknown:        c.record.unknown,
		Gaps:           len(c.trust.stalls),
		TimedOut:       c.timedOut(),
		Faults:         len(c.faults),
		Interrupted:    c.trust.interrupted,
	}
	if worst := c.worstStall(); worst.to > worst.from {
		e.LongestGapMS = int((worst.to - worst.from) / int64(time.Millisecond))
	}
	return e
}

// timedOut counts the commands that timed out although no fault was in force on their way: the
// machine, or a network that is not ours, stalled where no client saw it.
func (c *check) timedOut() (n int) {
	for i := range c.trace {
		if m := &c.trace[i]; strings.Contains(m.Err, "timeout") && !c.struckCommand(m) {
			n++
		}
	}
	return n
}

// turn is the time from an acquire call to the end of what it got, or an open acquire call.
type turn struct {
	from, to      int64
	process, hold int
}

// contended counts the acquisitions for which there is an instant, between the invocation of the
// acquire and the end of the hold, at which another live client had an acquire call for the same
// key open. A call of a killed client is open until the kill.
func contended(r *record) int {
	calls := map[int][]turn{}
	for _, c := range r.calls {
		for _, k := range c.keys {
			calls[k] = append(calls[k], turn{from: c.from, to: c.to, process: c.process})
		}
	}
	holds := map[int][]turn{}
	for i := range r.holds {
		h := &r.holds[i]
		holds[h.key] = append(holds[h.key], turn{h.call, h.end, h.process, i})
	}
	n := 0
	for key, hs := range holds {
		n += meet(hs, calls[key])
	}
	return n
}

// meet counts the turns a that have an instant in common with some b of another process.
func meet(as, bs []turn) int {
	sortTurns(bs)
	// of the first i: the one that ends last, and the one of another process that does
	longest := make([][2]turn, len(bs)+1)
	for i, b := range bs {
		l := longest[i]
		switch {
		case i == 0 || b.process == l[0].process:
			if i == 0 || b.to > l[0].to {
				l[0] = b
			}
		case b.to > l[0].to:
			l[0], l[1] = b, l[0]
		case l[1] == (turn{}) || b.to > l[1].to:
			l[1] = b
		}
		longest[i+1] = l
	}
	n := 0
	for _, a := range as {
		i := sort.Search(len(bs), func(i int) bool { return bs[i].from >= a.to })
		for _, b := range longest[i] {
			if b != (turn{}) && b.process != a.process && b.to > a.from {
				n++
				break
			}
		}
	}
	return n
}

func sortTurns(ts []turn) {
	slices.SortFunc(ts, func(a, b turn) int { return cmp.Compare(a.from, b.from) })
}

// struck counts the strikes that fell into a sure hold while another client had an acquire call for
// the same key open.
func (c *check) struck() int {
	n := 0
	for _, f := range c.faults {
		if f.strike && c.hits(f) {
			n++
		}
	}
	return n
}

func (c *check) hits(f fault) bool {
	for i := range c.record.holds {
		h := &c.record.holds[i]
		// A strike that kills the holder ends the hold: the kill may be stamped a moment before the fault
		// is.
		kills := h.ended == killed && isClient(f.target, h.process)
		if h.from <= f.from && (f.from < h.end || kills) && c.awaited(h, min(f.from, h.end)) {
			return true
		}
	}
	return false
}

func isClient(target string, process int) bool {
	n, ok := clientOf(target)
	return ok && n == process
}

// awaited reports whether a client other than the holder had an acquire call for the hold's key
// open at t.
func (c *check) awaited(h *hold, t int64) bool {
	return slices.ContainsFunc(c.record.calls, func(k call) bool {
		return k.process != h.process && k.from <= t && t <= k.to && slices.Contains(k.keys, h.key)
	})
}

// afterFailover counts the grants by a node that had been promoted. Where a grant does not name its
// node, its acquire must have been invoked after the promotion ended.
func (c *check) afterFailover() int {
	n := 0
	for i := range c.record.holds {
		h := &c.record.holds[i]
		if slices.ContainsFunc(c.faults, func(f fault) bool {
			return isPromotion(f) && (h.node != "" && h.node == f.target && f.from < h.from ||
				h.node == "" && f.to < h.call)
		}) {
			n++
		}
	}
	return n
}

func isPromotion(f fault) bool {
	return strings.Contains(f.f, "promote") || strings.Contains(f.f, "failover")
}

// missing says in a sentence what a history lacks of what its plan requires, or "".
func (e Evidence) missing(r history.Requires) string {
	var out []string
	if e.Contended < r.Contended {
		out = append(out, fmt.Sprintf("%s contended, and %d are needed",
			count(e.Contended, "acquisition was", "acquisitions were"), r.Contended))
	}
	if e.Hits < r.Hits {
		out = append(out, fmt.Sprintf("%s of %d fell into a hold with another client waiting",
			count(e.Hits, "strike", "strikes"), r.Hits))
	}
	if r.Failover && e.AfterFailover == 0 {
		out = append(out, "the new master granted nothing after the failover")
	}
	return strings.Join(out, "; ")
}

// count is "no strike", "1 strike", "2 strikes".
func count(n int, one, many string) string {
	switch n {
	case 0:
		return "no " + one
	case 1:
		return "only 1 " + one
	}
	return fmt.Sprintf("only %d %s", n, many)
}
