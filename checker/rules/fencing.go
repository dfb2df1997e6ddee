package rules

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
)

// fencing judges that fencing tokens grow: an acquire that was called after another one had
// returned must be given a larger token, and no two acquisitions the same. This is exact: the
// tokens prescribe the order of the grants, and that order is possible if and only if no two
// acquires that do not overlap come in the other order. Where the guarded resource looks at tokens,
// it must also have refused a write with an older one than it had seen.
func (c *Case) fencing() property {
	byKey := map[int][]*record.Hold{}
	tokens := 0
	for i := range c.Record.Holds {
		if h := &c.Record.Holds[i]; h.Token != 0 && h.From < c.trust.Cut {
			byKey[h.Key] = append(byKey[h.Key], h)
			tokens++
		}
	}
	switch {
	case tokens == 0 && !c.history.Header.Declares.Fencing:
		return notApplicable("the lock gives no fencing tokens")
	case tokens == 0:
		return unknown("the lock promises fencing tokens, but no grant carries one")
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		if a, b := outOfOrder(byKey[key]); a != nil {
			return c.stale(a, b)
		}
	}
	return c.fencedWrites()
}

// outOfOrder returns two holds of one key of which the later has not the larger token, or nil.
func outOfOrder(holds []*record.Hold) (a, b *record.Hold) {
	byReturn, byCall := slices.Clone(holds), slices.Clone(holds)
	slices.SortStableFunc(byReturn, func(a, b *record.Hold) int { return cmp.Compare(a.From, b.From) })
	slices.SortStableFunc(byCall, func(a, b *record.Hold) int { return cmp.Compare(a.Call, b.Call) })
	var largest *record.Hold
	seen := map[int64]*record.Hold{}
	next := 0
	for _, h := range byCall {
		for next < len(byReturn) && byReturn[next].From < h.Call {
			if largest == nil || byReturn[next].Token > largest.Token {
				largest = byReturn[next]
			}
			next++
		}
		if largest != nil && largest.Token >= h.Token {
			return largest, h
		}
		if twin := seen[h.Token]; twin != nil {
			return twin, h
		}
		seen[h.Token] = h
	}
	return nil, nil
}

func (c *Case) stale(a, b *record.Hold) property {
	p := violated(a.Key, whole(a), whole(b))
	broken := c.culprit(a, b)
	if broken == nemesis.ClientClocks {
		broken = nemesis.Nothing // a token does not depend on the clocks of clients
	}
	p.Class, p.Assumption = classOf(broken)
	p.Explanation = explain.OldToken(a, b, p.Class, p.Assumption)
	return p
}

// fencedWrites judges the resource: a write that succeeded must not have an older token than one
// that had succeeded before it was called.
func (c *Case) fencedWrites() property {
	if c.history.Header.Workload != "fenced" {
		return valid
	}
	type id struct{ process, n int }
	tokens := map[id]*record.Hold{}
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
		tokens[id{h.Process, h.N}] = h
	}
	var writes []*record.Hold
	for _, a := range linear.Accesses(c.history, c.trust.Cut) {
		h := tokens[id{a.Process, a.N}]
		if !a.Write || h == nil || h.Token == 0 {
			continue
		}
		c.verdict.Evidence.FencedWrites++
		if a.Outcome == history.OK {
			writes = append(writes, &record.Hold{Process: h.Process, N: h.N, Key: a.Key, Call: a.From,
				From: a.To,
				End:  h.End, Token: h.Token, Leases: h.Leases})
		}
	}
	for i, late := range writes {
		for _, early := range writes[:i] {
			if early.Key == late.Key && early.From < late.Call && early.Token > late.Token {
				p := c.stale(early, late)
				p.Explanation = explain.OldWrite(early, late)
				return p
			}
		}
	}
	return valid
}
