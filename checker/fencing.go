package checker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/history"
)

// fencing judges that fencing tokens grow: an acquire that was called after another one had
// returned must be given a larger token, and no two acquisitions the same. This is exact: the
// tokens prescribe the order of the grants, and that order is possible if and only if no two
// acquires that do not overlap come in the other order. Where the guarded resource looks at tokens,
// it must also have refused a write with an older one than it had seen.
func (c *check) fencing() Property {
	byKey := map[int][]*hold{}
	tokens := 0
	for i := range c.record.holds {
		if h := &c.record.holds[i]; h.token != 0 && h.from < c.trust.cut {
			byKey[h.key] = append(byKey[h.key], h)
			tokens++
		}
	}
	switch {
	case tokens == 0 && !c.history.Header.Declares.Fencing:
		return Property{Verdict: NA, Reason: "the lock gives no fencing tokens"}
	case tokens == 0:
		return Property{Reason: "the lock promises fencing tokens, but no grant carries one"}
	}
	for _, key := range sortedKeys(byKey) {
		if a, b := outOfOrder(byKey[key]); a != nil {
			return c.stale(a, b)
		}
	}
	return c.fencedWrites()
}

// outOfOrder returns two holds of one key of which the later has not the larger token, or nil.
func outOfOrder(holds []*hold) (a, b *hold) {
	byReturn, byCall := slices.Clone(holds), slices.Clone(holds)
	slices.SortStableFunc(byReturn, func(a, b *hold) int { return cmp.Compare(a.from, b.from) })
	slices.SortStableFunc(byCall, func(a, b *hold) int { return cmp.Compare(a.call, b.call) })
	var largest *hold
	seen := map[int64]*hold{}
	next := 0
	for _, h := range byCall {
		for next < len(byReturn) && byReturn[next].from < h.call {
			if largest == nil || byReturn[next].token > largest.token {
				largest = byReturn[next]
			}
			next++
		}
		if largest != nil && largest.token >= h.token {
			return largest, h
		}
		if twin := seen[h.token]; twin != nil {
			return twin, h
		}
		seen[h.token] = h
	}
	return nil, nil
}

func (c *check) stale(a, b *hold) Property {
	p := Property{Verdict: Violated, Class: DoubleGrant, Witness: &Witness{Key: a.key, Holds: []Hold{
		witnessHold(a, span{from: a.from, end: a.end}), witnessHold(b, span{from: b.from, end: b.end})}}}
	switch c.culprit(&pair{key: a.key, a: a, b: b}) {
	case durabilityFault:
		p.Class, p.Assumption = LostByFailover, "durability"
	case serverClockFault:
		p.Class, p.Assumption = Clock, "server clock"
	}
	p.Explanation = fmt.Sprintf(
		"Client %d got fencing token %d for lock %d at %s; client %d, which asked at %s, got token %d, which is not larger. Class: %s%s.",
		a.process, a.token, a.key, at(a.from), b.process, at(b.call), b.token, p.Class,
		assumed(p.Assumption))
	return p
}

// access is a read or write of the guarded resource.
type access struct {
	process, n, key int
	from, to        int64 // invoked; returned, forever if nobody knows
	value           int64
	known           bool // the value is known
	outcome         history.Type
	write           bool
}

// accesses returns what clients did to the guarded resource, in the order of its invocations.
func accesses(h *history.History, cut int64) []access {
	var out []access
	open := map[int]int{}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Process < 0 || e.F != history.ReadOp && e.F != history.WriteOp || e.T >= cut {
			continue
		}
		if e.Type == history.Invoke {
			open[e.Process] = len(out)
			a := access{process: e.Process, n: e.N, key: e.KeyOf(), from: e.T, to: forever,
				outcome: history.Info, write: e.F == history.WriteOp}
			a.note(e)
			out = append(out, a)
			continue
		}
		j, ok := open[e.Process]
		if !ok || !e.Type.Completes() {
			continue
		}
		delete(open, e.Process)
		a := &out[j]
		a.outcome = e.Type
		if e.Type != history.Info {
			a.to = e.T
		}
		a.note(e)
	}
	return out
}

func (a *access) note(e *history.Event) {
	if e.Value != nil {
		a.value, a.known = *e.Value, true
	}
}

// fencedWrites judges the resource: a write that succeeded must not have an older token than one
// that had succeeded before it was called.
func (c *check) fencedWrites() Property {
	if c.history.Header.Workload != "fenced" {
		return Property{Verdict: Valid}
	}
	type id struct{ process, n int }
	tokens := map[id]*hold{}
	for i := range c.record.holds {
		h := &c.record.holds[i]
		tokens[id{h.process, h.n}] = h
	}
	var writes []*hold
	for _, a := range accesses(c.history, c.trust.cut) {
		h := tokens[id{a.process, a.n}]
		if !a.write || h == nil || h.token == 0 {
			continue
		}
		c.verdict.Evidence.FencedWrites++
		if a.outcome == history.OK {
			writes = append(writes, &hold{process: h.process, n: h.n, key: a.key, call: a.from, from: a.to,
				end: h.end, token: h.token, leases: h.leases})
		}
	}
	for i, late := range writes {
		for _, early := range writes[:i] {
			if early.key == late.key && early.from < late.call && early.token > late.token {
				p := c.stale(early, late)
				p.Explanation = fmt.Sprintf(
					"The guarded resource took client %d's write with fencing token %d at %s although it had taken token %d of client %d at %s.",
					late.process, late.token, at(late.from), early.token, early.process, at(early.from))
				return p
			}
		}
	}
	return Property{Verdict: Valid}
}
