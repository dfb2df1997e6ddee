package checker

import (
	"cmp"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// mutex judges a history by itself as that of a mutex, with unknown outcomes and without leases.
func (c *check) mutex() Property {
	p := Property{Verdict: Valid}
	logs := mutexOps(c.history)
	for _, key := range sortedKeys(logs) {
		l := logs[key]
		f, a, b := fastMutex(l.ops)
		r := ruleMutex(l.ops, c.options.Timeout)
		p = verdict.Worse(p, c.decide(key, r, true, f != none, func() Property {
			c.picture(r.failing, func(t int32) string { return l.names[t].String() })
			return flawed(l, key, f, a, b)
		}))
	}
	return p
}

// decide makes a property of porcupine's ruling on one key and of what a fast check found, which
// must agree if that is exact. violation explains what is illegal.
func (c *check) decide(key int, r ruling, exact, bad bool, violation func() Property) Property {
	c.add(r)
	switch {
	case r.unfinished():
		return Property{Reason: explain.Say("porcupine did not finish in %v", c.options.Timeout)}
	case exact && bad != r.illegal():
		c.disagree(explain.Say("lock %d: the fast check found a violation: %v; porcupine says %s", key,
			bad, string(r.result)))
		return Property{Reason: explain.Say("the two checks disagree")}
	case r.illegal():
		return violation()
	}
	return Property{Verdict: Valid}
}

// disagree notes that the two checks contradict each other: one of them is wrong, so nothing else
// counts.
func (c *check) disagree(why string) {
	c.verdict.HarnessError = explain.Say("the checks disagree: %s", why)
}

// picture keeps the first slice of a history that is not linearizable for Verdict.Visual.
func (c *check) picture(failing []op, name func(token int32) string) {
	if c.verdict.Draw == nil && failing != nil {
		c.verdict.Draw = func() ([]byte, error) { return drawMutex(failing, name) }
	}
}

// add joins a ruling into the summary of the verdict: the worst result counts.
func (c *check) add(r ruling) {
	p := &c.verdict.Porcupine
	p.Version = porcupineVersion()
	p.Operations += r.operations
	p.Slices += r.slices
	p.Took += history.Duration(r.took)
	order := rulings()
	if slices.Index(order, string(r.result)) > slices.Index(order, p.Result) {
		p.Result = string(r.result)
	}
}

var flawWords = [...]string{
	doubleRelease:  "released twice with success",
	phantomRelease: "released with success without having acquired",
	lostLock:       "refused a release while it surely held the lock",
	overlap:        "granted while another one surely held the lock",
	coveredPoint:   "released with success although another one held the lock all the time",
}

// flawed makes a property of a flaw and the tokens that show it.
func flawed(l *mutexLog, key int, f flaw, a, b int32) Property {
	p := Property{Verdict: Violated, Witness: &Witness{Key: key}}
	what := explain.Say(flawWords[f])
	if f == overlap {
		p.Class = DoubleGrant
	} else {
		p.Class = ReleasedByNonOwner
	}
	if f == lostLock {
		p.Class = ""
	}
	first, second := tokenHold(l, a), Hold{}
	p.Witness.Holds = []Hold{first}
	switch f {
	case overlap:
		second = tokenHold(l, b)
		p.Witness.Holds = append(p.Witness.Holds, second)
		p.Explanation = sentence(
			explain.Say("lock %d: %s was %s: %s, acquired at %s and not released before %s", key,
				nameText(l.names[b]),
				what, nameText(l.names[a]), at(first.From), until(first.To)))
	case coveredPoint:
		p.Witness.Holds = append(p.Witness.Holds, tokenHold(l, b))
		p.Explanation = sentence(explain.Say("lock %d: %s was %s (%s)", key, nameText(l.names[a]), what,
			nameText(l.names[b])))
	default:
		p.Explanation = sentence(explain.Say("lock %d: %s was %s", key, nameText(l.names[a]), what))
	}
	return p
}

func nameText(n name) string { return explain.Say("client %d's acquisition %d", n.process, n.n) }

// tokenHold shows a token; an end that is not known is left at the largest stamp.
func tokenHold(l *mutexLog, t int32) Hold {
	tok := tokens(l.ops)[t]
	return Hold{Process: l.names[t].process, N: l.names[t].n, From: tok.from, To: tok.end}
}

var unfitWords = [...]string{
	hasExtensions:      "the lease model does not know extensions, and the history has some",
	releasedUnacquired: "a lock was released with success by a client that had not acquired it",
	unknownLeases:      "neither the history nor an option says how long a lease is",
	noGrants:           "no client acquired the lock",
}

// lease judges a history by itself as that of a server that keeps leases exactly.
func (c *check) lease() Property {
	all, why := leaseHolds(c.history, cmp.Or(c.options.TTL, c.history.Header.TTL.D()))
	if why != fits {
		return Property{Reason: explain.Say(unfitWords[why])}
	}
	p := Property{Verdict: Valid}
	for _, key := range sortedKeys(all) {
		hs := all[key]
		bad, first, exact := fastLease(hs)
		p = verdict.Worse(p, c.decide(key, ruleLeases(hs, c.options.Timeout), exact, bad >= 0,
			func() Property {
				if bad < 0 {
					return Property{Verdict: Violated, Explanation: explain.Say(
						"Lock %d: the grants fit no order in which each lease ends before the next grant.", key)}
				}
				return earlyGrant(key, hs[first:bad+1])
			}))
	}
	return p
}

func earlyGrant(key int, chain []leaseHold) Property {
	p := Property{Verdict: Violated, Class: DoubleGrant, Witness: &Witness{Key: key}}
	for _, h := range chain {
		p.Witness.Holds = append(p.Witness.Holds, Hold{Process: h.name.process, N: h.name.n, From: h.ret,
			To: min(h.released, h.ret+h.ttl), LeaseEnd: h.ret + h.ttl})
	}
	last := chain[len(chain)-1]
	p.Explanation = explain.Say(
		"Lock %d: %s cannot have been granted by %s, because the %s before it, placed as early as "+
			"possible, leaves no room.",
		key, nameText(last.name), at(last.ret), plural(len(chain)-1, "grant"))
	return p
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
		rule := ruleReentrant
		if known && bad < 0 {
			rule = func([]op, time.Duration) ruling { return ruleMutex(outer, c.options.Timeout) }
		}
		f, a, b := fastMutex(outer)
		r := rule(l.ops, c.options.Timeout)
		p = verdict.Worse(p, c.decide(key, r, known, bad >= 0 || f != none, func() Property {
			switch {
			case known && bad < 0:
				return flawed(l, key, f, a, b)
			case known:
				return Property{Verdict: Violated, Explanation: explain.Say(
					"Lock %d: %s was answered against the count of its holder.", key,
					nameText(l.names[l.ops[bad].token]))}
			}
			return Property{Verdict: Violated, Explanation: explain.Say(
				"Lock %d: the answers fit no order of acquires and releases that a re-entrant lock can have.",
				key)}
		}))
	}
	return p
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
		r := ruleSections(byKey[key], c.options.Timeout)
		p = verdict.Worse(p, c.decide(key, r, false, false, func() Property {
			return Property{Verdict: Violated, Explanation: explain.Say(
				"The reads and writes of register %d fit no order in which each read returns what was "+
					"written last.", key)}
		}))
	}
	return p
}
