package rules

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// fencingRule judges F: the order of fencing tokens.
type fencingRule struct{ *Case }

// fencing judges that fencing tokens grow: a grant that was requested after another one had been
// answered must have a larger token, and no two grants may have the same. If the trace shows the
// granting command, the times are its sending and its reply. Otherwise they are the call and the
// return of the acquire. A grant without a token counts as one of token 0 if the lock promises
// tokens, since that may be the first token. Comparing such pairs is enough: if each has growing
// tokens, the grants can have happened in the order of their tokens. If the guarded resource checks
// tokens, it must also have refused a write with a smaller token than that of a write that had
// already succeeded.
func (c fencingRule) fencing() property {
	byKey := map[int][]tokened{}
	tokens, promised := 0, c.history.Header.Declares.Fencing
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
		if h.From >= c.trust.Cut || h.Token == 0 && (h.Shared || !promised) {
			continue
		}
		byKey[h.Key] = append(byKey[h.Key], c.tokened(h))
		if h.Token != 0 {
			tokens++
		}
	}
	switch {
	case tokens == 0 && !promised:
		return notApplicable("the lock gives no fencing tokens")
	case tokens == 0:
		return unknown("the lock promises fencing tokens, but no grant carries one")
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		if a, b := outOfOrder(byKey[key], true); a != nil {
			return c.stale(a, b)
		}
	}
	return c.fencedWrites()
}

// tokened is a hold with a token, and the time of its grant.
type tokened struct {
	*record.Hold
	asked, answered int64
	traced          bool // by the trace, not by the call
}

// tokened returns a hold with the time of its grant. It does not use an undeclared script for that:
// another script may have granted the hold.
func (c fencingRule) tokened(h *record.Hold) tokened {
	if m := c.trace.GrantOf(h); m != nil && !c.trace.Undeclared(m) {
		return tokened{h, m.Sent, m.Recv, true}
	}
	return tokened{h, h.Call, h.From, false}
}

// outOfOrder returns two holds of one key, the later one without a larger token, or nil. If own is
// false, the later one may have the same token.
func outOfOrder(holds []tokened, own bool) (a, b *tokened) {
	byReturn, byCall := make([]*tokened, len(holds)), make([]*tokened, len(holds))
	for i := range holds {
		byReturn[i], byCall[i] = &holds[i], &holds[i]
	}
	slices.SortStableFunc(byReturn, func(a, b *tokened) int {
		return cmp.Compare(a.answered, b.answered)
	})
	slices.SortStableFunc(byCall, func(a, b *tokened) int { return cmp.Compare(a.asked, b.asked) })
	var largest *tokened
	seen := map[int64]*tokened{}
	next := 0
	for _, h := range byCall {
		for next < len(byReturn) && byReturn[next].answered < h.asked {
			if largest == nil || byReturn[next].Token > largest.Token {
				largest = byReturn[next]
			}
			next++
		}
		if largest != nil && largest.Token > h.Token {
			return largest, h
		}
		twin := seen[h.Token]
		if own && twin != nil && h.Token != 0 && !(twin.Shared && h.Shared) {
			return twin, h
		}
		seen[h.Token] = h
	}
	return nil, nil
}

// stale returns the violation by two holds, if the later one has no larger token.
func (c fencingRule) stale(a, b *tokened) property {
	p := violated(a.Key, wholeHold(a.Hold), wholeHold(b.Hold))
	mayLose := func(f *record.Fault) bool { return mayLoseToken(c.Case, f, a, b) }
	broken := gravest(c.Case, a.Hold, b.Hold, mayLose)
	if broken == nemesis.ClientClocks {
		broken = nemesis.Nothing // a token does not depend on the clocks of clients
	}
	p.Class, p.Assumption = classOf(broken)
	switch {
	case c.classifier().emptied(a.Hold, b.Hold, mayLose):
		p.Class = verdict.Vanished
	case p.Class != verdict.DoubleGrant:
	case c.history.Header.Environment != "" && b.Token < a.Token && !ownToken(c.Case, b.Hold) &&
		c.keyFacts().thirdParties(a.Call, b.From):
		p.Class = verdict.Vanished
	default:
		p.Class = verdict.OldToken
	}
	if a.traced && b.traced {
		for _, h := range []*tokened{a, b} {
			p.Witness.Commands = append(p.Witness.Commands, grantedBy(c.trace.GrantOf(h.Hold), h.Hold))
		}
	}
	if p.Class == verdict.LostByServer {
		p.Cause = explain.LostCounter(c.faults, a.Hold, b.Hold)
	}
	p.Explanation = explain.OldToken(&c.history.Header, a.Hold, b.Hold, a.answered, b.asked, p.Class,
		p.Assumption)
	return p
}

// overlapping counts the spans that begin before an earlier one of their key has ended.
func overlapping(spans map[int][]record.Span) (n int) {
	for _, ss := range spans {
		var end int64
		for _, s := range ss {
			if s.From < end {
				n++
			}
			end = max(end, s.End)
		}
	}
	return n
}

// fencedWrites judges the resource: a write that succeeded must not have a smaller token than one
// that had succeeded before it was called. The tokens were given in order, so no fault of the
// lock's servers is to blame.
func (c fencingRule) fencedWrites() property {
	if c.history.Header.Workload != "fenced" {
		return valid
	}
	c.verdict.Evidence.Together = overlapping(c.Record.Spans(record.UntilRelease, c.trust.Cut))
	type id struct{ process, n int }
	tokens := map[id]*record.Hold{}
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
		tokens[id{h.Process, h.N}] = h
	}
	byKey := map[int][]tokened{}
	for _, a := range linear.Accesses(c.history, c.trust.Cut) {
		h := tokens[id{a.Process, a.N}]
		if !a.Write || h == nil || h.Token == 0 {
			continue
		}
		c.verdict.Evidence.FencedWrites++
		if a.Outcome == history.Fail {
			c.verdict.Evidence.OldWrites++
		}
		if a.Outcome == history.OK {
			w := &record.Hold{Process: h.Process, N: h.N, Key: a.Key, Call: a.From, From: a.To, End: h.End,
				Token: h.Token, Leases: h.Leases}
			byKey[a.Key] = append(byKey[a.Key], tokened{w, a.From, a.To, false})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		if early, late := outOfOrder(byKey[key], false); early != nil {
			p := violated(early.Key, wholeHold(early.Hold), wholeHold(late.Hold))
			p.Class, p.Explanation = verdict.OldToken, explain.OldWrite(early.Hold, late.Hold)
			return p
		}
	}
	return valid
}
