package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
)

// inGrantOrder returns a pair so that the hold that was granted first is A, with the commands of
// the witness. The client that was granted the lock first may read its reply last: without a trace,
// this is certain of no client, and likely of one whose session alone had ended. If both grants
// were under way at once, a hold whose lease was over comes first. Otherwise the order is the one
// that has a command that frees the key for the second. If both orders have one, none of the
// deletions is certain.
func (c exclusionRule) inGrantOrder(p *record.Pair) (*record.Pair, []command) {
	ga, gb := c.trace.GrantOf(p.A), c.trace.GrantOf(p.B)
	commands := c.commands(p)
	q := *p
	q.A, q.B, q.SpanA, q.SpanB = p.B, p.A, p.SpanB, p.SpanA
	switch {
	case c.classifier().onlyLaterEnded(p):
		return &q, nil
	case ga == nil || gb == nil || ga.Recv < gb.Sent:
		return p, commands
	}
	other := c.commands(&q)
	o, cl := ordersOf(c.Case, ga, gb), c.classifier()
	switch {
	case gb.Recv < ga.Sent:
		return &q, other
	case o != nil && ga.Node == gb.Node && o.Precedes(ga, gb):
		return p, commands
	case o != nil && ga.Node == gb.Node && o.Precedes(gb, ga):
		return &q, other
	case p.A.LeaseAt(p.From) <= p.From:
		return p, commands
	case ofTakesAtOnce(c.Case, &q, gb, ga) == verdict.PromisedTooLong &&
		ofTakesAtOnce(c.Case, p, ga, gb) != verdict.PromisedTooLong:
		return &q, other // only the key of B can have expired
	case ga.Node != gb.Node || cl.frees(&q, other) == 0:
		return p, commands
	case cl.frees(p, commands) == 0:
		return &q, other
	case cl.frees(&q, other) > cl.frees(p, commands):
		return &q, uncertain(&q, other, commands)
	}
	return p, uncertain(p, commands, other)
}

// frees says how surely the commands of a witness freed the key: 0 if none can have.
func (c classifier) frees(p *record.Pair, commands []command) int {
	sure := certain(commands)
	switch {
	case has(sure, verdict.ForeignDelete, verdict.OwnDelete):
		return 4
	case has(sure, verdict.LateDelete):
		return 3
	case c.onlyLate(p, commands):
		return 1
	case has(commands, verdict.PossibleDelete, verdict.ForeignDelete, verdict.LateDelete,
		verdict.OwnDelete):
		return 2
	}
	return 0
}

// uncertain says of each deletion that it may have deleted the key, unless the same did it in the
// other order.
func uncertain(p *record.Pair, commands, other []command) []command {
	same := func(a, b command) bool { return a.Process == b.Process && a.Seq == b.Seq }
	deletes := func(m command) bool { return m.Kind.Deletes() || m.Kind == verdict.OwnDelete }
	for i := range commands {
		m := &commands[i]
		again := slices.ContainsFunc(other, func(o command) bool { return same(*m, o) && deletes(o) })
		alone := !slices.ContainsFunc(other, func(o command) bool { return deletes(o) && !same(*m, o) })
		if m.Kind.Deletes() && !(again && alone) {
			m.Effect = explain.DeletedOf(p.A.Process, false, false)
			m.Kind = verdict.PossibleDelete
		}
	}
	return commands
}
