package checker

import (
	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// reentry judges a re-entrant lock: its holder must not be refused, and it is free only after as
// many releases as acquires. The second is mutual exclusion while leased of holds that are counted
// as one, so a violation of it counts here if an inner release lies before it.
func (c *check) reentry() Property {
	switch {
	case !c.history.Header.Declares.Reentrant:
		return Property{Verdict: NA, Reason: explain.Say("the lock is not re-entrant")}
	case len(c.record.Inner) == 0 && len(c.record.SelfRefused) == 0:
		return Property{
			Verdict: NA, Reason: explain.Say("no client acquired a lock that it held already")}
	}
	for _, s := range c.record.SelfRefused {
		h := &c.record.Holds[s.Hold]
		if s.To < h.LeaseEnd() && s.To < min(h.End, h.Lost, h.Valid, c.trust.Cut) {
			p := Property{Verdict: Violated, Witness: &Witness{Key: h.Key, Holds: []Hold{
				witnessHold(h, record.Span{From: h.From, End: h.End})}}}
			p.Explanation = explain.Say(
				"Client %d held lock %d since %s; when it acquired it again at %s, it was refused, although its lease was valid until %s.",
				h.Process, h.Key, at(h.From), at(s.From), until(h.LeaseEnd()))
			return p
		}
	}
	all := c.record.Spans(record.WhileLeased, c.trust.Cut)
	for _, key := range sortedKeys(all) {
		ss := all[key]
		var found *Property
		record.Overlaps(ss, func(a, b record.Span) bool {
			h := &c.record.Holds[a.Hold]
			if h.InnerReleased == 0 || h.InnerReleased >= b.From {
				return true
			}
			p := c.explain(record.WhileLeased, h.Key, ss)
			p.Explanation = explain.Say(
				"Client %d released an inner hold at %s, which must not free the lock. ",
				h.Process, at(h.InnerReleased)) + p.Explanation
			found = &p
			return false
		})
		if found != nil {
			return *found
		}
	}
	return Property{Verdict: Valid}
}

// stepReentrant is a re-entrant mutex. It belongs to a process, which may acquire it again, and is
// free after as many releases. Outcomes that nobody knows do what they can or come last, as in
// stepMutex.
func stepReentrant(s reentrantState, o *op) (bool, reentrantState) {
	mine := s.count > 0 && s.owner == o.process
	switch {
	case o.kind == acquire && o.outcome == refused:
		return true, s
	case o.kind == acquire && (mine || s.count == 0):
		return true, reentrantState{o.process, s.count + 1}
	case o.kind == acquire:
		return o.outcome == unsure, s
	case o.outcome == refused:
		return !mine, s
	case mine && s.count == 1:
		return true, reentrantState{}
	case mine:
		return true, reentrantState{s.owner, s.count - 1}
	}
	return o.outcome == unsure, s
}

type reentrantState struct {
	owner int32
	count int
}

func reentrantModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return reentrantState{} },
		Step: func(state, input, _ any) (bool, any) {
			ok, next := stepReentrant(state.(reentrantState), input.(*op))
			return ok, next
		},
		DescribeOperation: func(input, _ any) string { return input.(*op).String() },
	}
}

// reentrant judges a history by itself as that of a re-entrant mutex. Where all outcomes are known,
// holds are reduced to the outermost, which is exact: what lies between is legal if and only if the
// counts of the process fit, whatever others do. With unknown outcomes porcupine gets the whole
// history.
func (c *check) reentrant() Property {
	p := Property{Verdict: Valid}
	logs := mutexOps(c.history)
	for _, key := range sortedKeys(logs) {
		l := logs[key]
		outer, bad, known := outermost(l.ops)
		var r ruling
		if known && bad < 0 {
			r = ruleMutex(outer, c.options.Timeout)
		} else {
			r = ruleWhole(reentrantModel(), operations(dropRefused(l.ops)), c.options.Timeout)
		}
		c.add(r)
		f, a, b := fastMutex(outer)
		switch {
		case r.result == porcupine.Unknown:
			p = verdict.Worse(p, c.unfinished())
		case known && (bad >= 0 || f != none) != (r.result == porcupine.Illegal):
			c.disagree(explain.Say("lock %d: the fast check and porcupine contradict each other", key))
		case r.result == porcupine.Ok:
		case known && bad < 0:
			p = verdict.Worse(p, l.explain(key, f, a, b))
		case known:
			p = verdict.Worse(p, Property{Verdict: Violated,
				Explanation: explain.Say("Lock %d: %s was answered against the count of its holder.", key,
					l.names[l.ops[bad].token])})
		default:
			p = verdict.Worse(p, Property{Verdict: Violated,
				Explanation: explain.Say(
					"Lock %d: the answers fit no order of acquires and releases that a re-entrant lock can have.",
					key)})
		}
	}
	return p
}

func dropRefused(ops []op) []op {
	var out []op
	for _, o := range ops {
		if o.kind != acquire || o.outcome != refused {
			out = append(out, o)
		}
	}
	return out
}

// outermost reduces operations of sequential processes to the outermost holds. bad is the first
// operation that its process' own count forbids, or -1. known is false if that cannot be told
// without search: an outcome is unknown, or a process called again at the very stamp at which its
// last call returned, so that the two count as concurrent.
func outermost(ops []op) (outer []op, bad int, known bool) {
	bad = -1
	count, first, last := map[int32]int{}, map[int32]int32{}, map[int32]int64{}
	for i, o := range ops {
		n := count[o.process]
		before, called := last[o.process]
		last[o.process] = o.ret
		if o.outcome == unsure || called && o.call <= before {
			return nil, -1, false
		}
		switch {
		case o.kind == acquire && o.outcome == refused:
			continue
		case o.kind == release && (n > 0) == (o.outcome == refused) && bad < 0:
			bad = i
		case o.outcome == refused:
			continue
		case o.kind == acquire:
			count[o.process]++
			if n == 0 {
				first[o.process] = o.token
				outer = append(outer, o)
			}
		default:
			count[o.process]--
			if n == 1 {
				o.token = first[o.process]
				outer = append(outer, o)
			}
		}
	}
	return outer, bad, true
}

// register judges the reads and writes of a history by themselves as those of a register. What it
// held at first is unknown.
func (c *check) register() Property {
	byKey := map[int][]section{}
	for _, a := range accesses(c.history, record.Forever) {
		switch {
		case a.silent():
			return Property{Reason: explain.Say(silentWrite)}
		case a.write && a.outcome != history.Fail:
			byKey[a.key] = append(byKey[a.key], section{a.process, a.n, a.from, a.to, anything, a.value,
				a.outcome})
		case !a.write && a.outcome == history.OK && a.known:
			byKey[a.key] = append(byKey[a.key], section{a.process, a.n, a.from, a.to, a.value, 0,
				history.Fail})
		}
	}
	if len(byKey) == 0 {
		return Property{
			Verdict: NA, Reason: explain.Say("the history has no reads and writes with values")}
	}
	p := Property{Verdict: Valid}
	for _, key := range sortedKeys(byKey) {
		switch r := c.rule(sectionModel(), sectionOperations(byKey[key])); r.result {
		case porcupine.Unknown:
			p = verdict.Worse(p, c.unfinished())
		case porcupine.Illegal:
			p = verdict.Worse(p, Property{Verdict: Violated,
				Explanation: explain.Say(
					"The reads and writes of register %d fit no order in which each read returns what was written last.", key)})
		}
	}
	return p
}
