package checker

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// mutex judges a history by itself as that of a mutex, with unknown outcomes and without leases.
func (c *check) mutex() Property {
	p := Property{Verdict: Valid}
	logs := linear.Logs(c.history)
	for _, key := range slices.Sorted(maps.Keys(logs)) {
		l := logs[key]
		f, a, b := linear.FastMutex(l.Ops)
		r := linear.Mutex(l.Ops, c.options.Timeout)
		p = verdict.Worse(p, c.decide(key, r, true, f != linear.NoFlaw, func() Property {
			c.picture(r.Failing, func(t int32) string { return l.Names[t].String() })
			return flawed(l, key, f, a, b)
		}))
	}
	return p
}

// decide makes a property of porcupine's ruling on one key and of what a fast check found, which
// must agree if that is exact. violation explains what is illegal.
func (c *check) decide(key int, r linear.Ruling, exact, bad bool,
	violation func() Property) Property {
	c.add(r)
	switch {
	case r.Unfinished():
		return Property{Reason: explain.Say("porcupine did not finish in %v", c.options.Timeout)}
	case exact && bad != r.Illegal():
		c.disagree(explain.Say("lock %d: the fast check found a violation: %v; porcupine says %s", key,
			bad, string(r.Result)))
		return Property{Reason: explain.Say("the two checks disagree")}
	case r.Illegal():
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
func (c *check) picture(failing []linear.Op, name func(token int32) string) {
	if c.verdict.Draw == nil && failing != nil {
		c.verdict.Draw = func() ([]byte, error) { return linear.Draw(failing, name) }
	}
}

// add joins a ruling into the summary of the verdict: the worst result counts.
func (c *check) add(r linear.Ruling) {
	p := &c.verdict.Porcupine
	p.Version = linear.PorcupineVersion()
	p.Operations += r.Operations
	p.Slices += r.Slices
	p.Took += history.Duration(r.Took)
	order := linear.Results()
	if slices.Index(order, string(r.Result)) > slices.Index(order, p.Result) {
		p.Result = string(r.Result)
	}
}

var flawWords = [...]string{
	linear.DoubleRelease:  "released twice with success",
	linear.PhantomRelease: "released with success without having acquired",
	linear.LostLock:       "refused a release while it surely held the lock",
	linear.Overlap:        "granted while another one surely held the lock",
	linear.CoveredPoint:   "released with success although another one held the lock all the time",
}

// flawed makes a property of a flaw and the tokens that show it.
func flawed(l *linear.Log, key int, f linear.Flaw, a, b int32) Property {
	p := Property{Verdict: Violated, Witness: &Witness{Key: key}}
	what := explain.Say(flawWords[f])
	if f == linear.Overlap {
		p.Class = DoubleGrant
	} else {
		p.Class = ReleasedByNonOwner
	}
	if f == linear.LostLock {
		p.Class = ""
	}
	first, second := tokenHold(l, a), Hold{}
	p.Witness.Holds = []Hold{first}
	switch f {
	case linear.Overlap:
		second = tokenHold(l, b)
		p.Witness.Holds = append(p.Witness.Holds, second)
		p.Explanation = sentence(
			explain.Say("lock %d: %s was %s: %s, acquired at %s and not released before %s", key,
				nameText(l.Names[b]),
				what, nameText(l.Names[a]), at(first.From), until(first.To)))
	case linear.CoveredPoint:
		p.Witness.Holds = append(p.Witness.Holds, tokenHold(l, b))
		p.Explanation = sentence(explain.Say("lock %d: %s was %s (%s)", key, nameText(l.Names[a]), what,
			nameText(l.Names[b])))
	default:
		p.Explanation = sentence(explain.Say("lock %d: %s was %s", key, nameText(l.Names[a]), what))
	}
	return p
}

func nameText(n linear.Name) string {
	return explain.Say("client %d's acquisition %d", n.Process,
		n.N)
}

// tokenHold shows a token; an end that is not known is left at the largest stamp.
func tokenHold(l *linear.Log, t int32) Hold {
	tok := linear.Tokens(l.Ops)[t]
	return Hold{Process: l.Names[t].Process, N: l.Names[t].N, From: tok.From, To: tok.End}
}

var unfitWords = [...]string{
	linear.HasExtensions:      "the lease model does not know extensions, and the history has some",
	linear.ReleasedUnacquired: "a lock was released with success by a client that had not acquired it",
	linear.UnknownLeases:      "neither the history nor an option says how long a lease is",
	linear.NoGrants:           "no client acquired the lock",
}

// lease judges a history by itself as that of a server that keeps leases exactly.
func (c *check) lease() Property {
	all, why := linear.LeaseHolds(c.history, cmp.Or(c.options.TTL, c.history.Header.TTL.D()))
	if why != linear.Fits {
		return Property{Reason: explain.Say(unfitWords[why])}
	}
	p := Property{Verdict: Valid}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		hs := all[key]
		bad, first, exact := linear.FastLease(hs)
		p = verdict.Worse(p, c.decide(key, linear.Leases(hs, c.options.Timeout), exact, bad >= 0,
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

func earlyGrant(key int, chain []linear.LeaseHold) Property {
	p := Property{Verdict: Violated, Class: DoubleGrant, Witness: &Witness{Key: key}}
	for _, h := range chain {
		p.Witness.Holds = append(p.Witness.Holds, Hold{Process: h.Name.Process, N: h.Name.N, From: h.Ret,
			To: min(h.Released, h.Ret+h.TTL), LeaseEnd: h.Ret + h.TTL})
	}
	last := chain[len(chain)-1]
	p.Explanation = explain.Say(
		"Lock %d: %s cannot have been granted by %s, because the %s before it, placed as early as "+
			"possible, leaves no room.",
		key, nameText(last.Name), at(last.Ret), plural(len(chain)-1, "grant"))
	return p
}

// reentrant judges a history by itself as that of a re-entrant mutex. Where all outcomes are known,
// holds are reduced to the outermost, which is exact: what lies between is legal if and only if the
// counts of the process fit, whatever others do. With unknown outcomes porcupine gets the whole
// history.
func (c *check) reentrant() Property {
	p := Property{Verdict: Valid}
	logs := linear.Logs(c.history)
	for _, key := range slices.Sorted(maps.Keys(logs)) {
		l := logs[key]
		outer, bad, known := linear.Outermost(l.Ops)
		rule := linear.Reentrant
		if known && bad < 0 {
			rule = func([]linear.Op, time.Duration) linear.Ruling {
				return linear.Mutex(outer, c.options.Timeout)
			}
		}
		f, a, b := linear.FastMutex(outer)
		r := rule(l.Ops, c.options.Timeout)
		p = verdict.Worse(p, c.decide(key, r, known, bad >= 0 || f != linear.NoFlaw, func() Property {
			switch {
			case known && bad < 0:
				return flawed(l, key, f, a, b)
			case known:
				return Property{Verdict: Violated, Explanation: explain.Say(
					"Lock %d: %s was answered against the count of its holder.", key,
					nameText(l.Names[l.Ops[bad].Token]))}
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
	byKey := map[int][]linear.Section{}
	for _, a := range linear.Accesses(c.history, record.Forever) {
		switch {
		case a.Silent():
			return Property{Reason: explain.Say(silentWrite)}
		case a.Write && a.Outcome != history.Fail, !a.Write && a.Outcome == history.OK && a.Known:
			byKey[a.Key] = append(byKey[a.Key], a.Section())
		}
	}
	if len(byKey) == 0 {
		return Property{
			Verdict: NA, Reason: explain.Say("the history has no reads and writes with values")}
	}
	p := Property{Verdict: Valid}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		r := linear.Register(byKey[key], c.options.Timeout)
		p = verdict.Worse(p, c.decide(key, r, false, false, func() Property {
			return Property{Verdict: Violated, Explanation: explain.Say(
				"The reads and writes of register %d fit no order in which each read returns what was "+
					"written last.", key)}
		}))
	}
	return p
}
