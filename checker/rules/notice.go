package rules

import (
	"maps"
	"slices"
	"sort"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
)

// notice judges that a holder is told that its hold is over before another client is inside. It is
// about holds that break mutual exclusion; a holder that was killed can be told nothing. The lock
// tells by a callback, by refusing an extension or a release, or in advance, by the validity of the
// grant.
func (c *Case) notice() property {
	if !c.history.Header.Declares.Lease && c.history.Header.Environment == "" {
		return notApplicable("an imported history does not say what a client was told")
	}
	judged, stall := false, (*record.Gap)(nil)
	var found *property
	all := c.Record.Spans(record.UntilRelease, c.trust.Cut)
	extends := c.refusedExtends()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		record.Overlaps(all[key], func(a, b record.Span) bool {
			p := c.Record.Pair(record.UntilRelease, key, a, b)
			if p.A.Ended == record.Killed || p.A.Ended == record.Vanished {
				return true
			}
			if s := c.trust.Within(p.A.Call, p.From); s != nil {
				stall = s
				return true
			}
			judged = true
			if t, by := told(p.A, extends); t > p.B.From {
				found = c.toldLate(p, t, by)
			}
			return found == nil
		})
		if found != nil {
			return *found
		}
	}
	switch {
	case judged:
		return valid
	case stall != nil:
		return stalled("two clients were inside at once, but %s", explain.Stall(*stall))
	}
	return notApplicable("no holder that lived was inside together with another client")
}

// refusedExtends returns when extensions were refused, by process, in order.
func (c *Case) refusedExtends() map[int][]*history.Event {
	out := map[int][]*history.Event{}
	for i := range c.history.Events {
		if e := &c.history.Events[i]; e.F == history.ExtendOp && e.Type == history.Fail {
			out[e.Process] = append(out[e.Process], e)
		}
	}
	return out
}

// told returns when and by what a holder was first told that its hold is over; Forever if it never
// was.
func told(h *record.Hold, extends map[int][]*history.Event) (at int64, by explain.Teller) {
	at, by = h.Lost, explain.ByCallback
	first := func(t int64, what explain.Teller) {
		if t < at {
			at, by = t, what
		}
	}
	first(h.Valid, explain.ByValidity)
	es := extends[h.Process]
	since := sort.Search(len(es), func(i int) bool { return es[i].T >= h.From })
	for _, e := range es[since:] {
		if e.T > max(h.End, h.From) {
			break
		}
		if slices.Contains(record.KeysOf(e), h.Key) {
			first(e.T, explain.ByExtend)
			break
		}
	}
	if h.Ended == record.Released && h.Answer == history.Fail {
		first(h.Returned, explain.ByRelease)
	}
	return at, by
}

// toldLate is the violation by a holder that was told at t, after the other one had come in.
func (c *Case) toldLate(p *record.Pair, t int64, by explain.Teller) *property {
	out := violated(p.Key, part(p.A, p.SpanA), part(p.B, p.SpanB))
	out.Explanation = explain.ToldLate(p, t, by, c.Record.End)
	return &out
}
