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
)

// exclusionRule judges S, L, E and N, and the models of imported histories.
type exclusionRule struct{ *Case }

// exclusion judges that the sure holds of each key are disjoint, by one exclusion rule.
func (c exclusionRule) exclusion(b record.ExclusionRule) property {
	p := valid
	all := c.Record.Spans(b, c.trust.Cut)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		ss := c.ofKnownLength(b, all[key])
		joined := record.Together(ss)
		r := c.ruling(b, key, joined)
		p = verdict.Worse(p, c.decide(key, r, true, !record.Disjoint(ss), func() property {
			c.picture(r.Failing, func(token int32) string {
				h := &c.Record.Holds[joined[token-1].Hold]
				return linear.Name{Process: h.Process, N: h.N}.String()
			})
			return c.overlap(b, key, ss)
		}))
	}
	if unnamed := c.Record.WithoutLease; b == record.WhileLeased && unnamed > 0 &&
		p.Verdict != verdict.Violated {
		return unknown("%d grants do not say when their lease ends", unnamed)
	}
	return p
}

// ofKnownLength returns the spans that a rule can judge. The rule of leases cannot judge a grant
// that names no lease although the lock declares one.
func (c exclusionRule) ofKnownLength(b record.ExclusionRule, ss []record.Span) []record.Span {
	if b != record.WhileLeased || c.Record.WithoutLease == 0 {
		return ss
	}
	return slices.DeleteFunc(slices.Clone(ss), func(s record.Span) bool {
		return c.Record.Holds[s.Hold].Length == 0
	})
}

// ruling returns porcupine's ruling on the spans of one key. If no lease ended inside a hold, L
// asks the same as S: the same operations need no second answer.
func (c exclusionRule) ruling(b record.ExclusionRule, key int, ss []record.Span) linear.Ruling {
	if r, known := c.ruled[key]; known && r.Operations == 2*len(ss) && c.untilRelease(ss) {
		r.Took = 0
		return r
	}
	r := linear.Mutex(linear.SpanOps(c.Record, ss), c.limits.Timeout)
	if b == record.UntilRelease {
		c.ruled[key] = r
	}
	return r
}

// untilRelease reports whether all spans last as long as their holds.
func (c exclusionRule) untilRelease(ss []record.Span) bool {
	return !slices.ContainsFunc(ss, func(s record.Span) bool {
		return s.Lease != 0 || s.End != min(c.Record.Holds[s.Hold].End, c.trust.Cut)
	})
}

// excuse says why a pair proves nothing: the lease of the first ran out in lost time, or during a
// slow action. It returns "" if the pair counts.
func (c exclusionRule) excuse(p *record.Pair) string {
	if why := c.excuses().lapsed(p.A, p.From); why != "" {
		return why
	}
	if p.B.Call < p.A.From && c.classifier().bySession(p.B, p.From) { // it may have been granted first
		if why := c.excuses().sessionLapsed(p.B, p.From); why != "" {
			return why
		}
	}
	if s := c.outlasted(p); s != nil {
		return explain.Slow(*s)
	}
	return ""
}

// outstayed says that the scenario kept the first holder of a pair inside until its lease was over,
// of a lock that renews none. It returns "" otherwise.
func (c exclusionRule) outstayed(p *record.Pair) string {
	if c.history.Header.Outstays && p.A.LeaseAt(p.From) <= p.From {
		return explain.Outstayed(p.A.Process)
	}
	return ""
}

// mayBeOver reports whether the lease of the first holder may have been over while both were
// inside, or may not: its grant does not say when it was sent. A validity that the lock promised
// itself still counts: then the overlap is a violation.
func mayBeOver(p *record.Pair) bool {
	over := p.A.LatestEnd(p.From)
	return p.A.LeaseAt(p.From) <= p.From && p.To <= over &&
		(p.A.Valid == record.Forever || p.A.Valid <= p.From)
}

// outlasted returns a slow action of the harness during which the first holder's lease ran out,
// although no fault stopped the holder. It returns nil if there is none. The scenario paused the
// holder for as long, so the lock is not to blame.
func (c exclusionRule) outlasted(p *record.Pair) *record.Slow {
	if p.A.LeaseAt(p.B.From) > p.B.From || slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.Pauses() && f.Hits(p.A.Process) && f.From < p.From && p.A.Call < f.To
	}) {
		return nil
	}
	for i := range c.Record.Slow {
		if s := &c.Record.Slow[i]; s.From < p.From && p.A.Call < s.To {
			return s
		}
	}
	return nil
}

// overlap turns the overlaps of a key into a property with its witness and words. Among all pairs
// it takes the earliest that neither lost time nor a slow action explains; if there is none, the
// machine may be to blame and the result is unknown.
func (c exclusionRule) overlap(b record.ExclusionRule, key int, ss []record.Span) property {
	var excuse string
	var p *record.Pair
	more, itsOwn := 0, c.history.Header.Outstays
	for x, y := range record.Overlaps(ss) {
		q := c.Record.Pair(b, key, x, y)
		switch why := cmp.Or(c.excuse(q), c.outstayed(q)); {
		case why != "":
			excuse = why
		case mayBeOver(q):
			excuse, itsOwn = explain.MayBeOver(q.A.Process), true
		case p == nil:
			p = q
		case q.A != p.A || q.B != p.B: // not only another part of the same two holds
			more++
		}
		if more == verdict.MostMore {
			break
		}
	}
	switch {
	case p == nil && itsOwn:
		return unknown("two clients were inside at once, but %s", excuse)
	case p == nil:
		return stalled("two clients were inside at once, but %s", excuse)
	}
	at := p.From
	if b == record.WhileLeased {
		at = p.To - 1
	}
	out := violated(key, part(p.A, p.SpanA, at), part(p.B, p.SpanB, at))
	out.Witness.Overlap, out.Witness.More = history.Duration(p.To-p.From), more
	p, out.Witness.Commands = c.inGrantOrder(p)
	if c.classifier().cameLate(p.A) && p.A.LeaseAt(p.B.From) <= p.B.From {
		// no deletion let the next client in
		out.Witness.Commands = slices.DeleteFunc(out.Witness.Commands, func(m command) bool {
			return m.Kind.Deletes()
		})
	}
	out.Class, out.Assumption = c.classifier().classify(p, out.Witness.Commands)
	if out.Class == verdict.DoubleGrant || out.Class == verdict.ReleasedByNonOwner {
		out.OneValue = p.Token
	}
	out.Explanation = explain.Story(c.history.Header, c.faults, answeredOnly(c.Case, p), out)
	out.Cause = explain.ByVotes(c.faults, p, out)
	return out
}
