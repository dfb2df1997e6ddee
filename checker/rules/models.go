package rules

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// mutex judges a history alone as a mutex, with unknown outcomes and without leases.
func (c exclusionRule) mutex() property {
	p, h := valid, &c.history.Header
	logs := linear.Logs(c.history)
	for _, key := range slices.Sorted(maps.Keys(logs)) {
		l := logs[key]
		f, a, b := linear.FastMutex(l.Ops)
		r := linear.Mutex(l.Ops, c.limits.Timeout)
		p = verdict.Worse(p, c.decide(key, r, true, f != linear.NoFlaw, func() property {
			c.picture(r.Failing, func(t int32) string { return l.Names[t].String() })
			return flawed(h, l, key, f, a, b)
		}))
	}
	if e := c.strayExtension(); e != nil && p.Verdict == verdict.Valid {
		return unknown("client %d extended a lock at %s that it is not known to hold", e.Process,
			explain.Moment(&c.history.Header, e.T))
	}
	return p
}

// strayExtension returns an extension that was answered with success and belongs to no acquisition
// that was, or nil.
func (c exclusionRule) strayExtension() *history.Event {
	granted := map[linear.Name]bool{}
	for i := range c.history.Events {
		switch e := &c.history.Events[i]; {
		case e.Type != history.OK:
		case e.F == history.Acquire:
			granted[linear.Name{Process: e.Process, N: e.N}] = true
		case e.F == history.ExtendOp && !granted[linear.Name{Process: e.Process, N: e.N}]:
			return e
		}
	}
	return nil
}

// decide makes a property of porcupine's ruling on one key and the result of a fast check. The two
// must agree if the fast check is exact. If there are too many operations for porcupine, an exact
// check decides alone. Violation explains the illegal operations.
func (c *Case) decide(key int, r linear.Ruling, exact, bad bool,
	violation func() property) property {
	exclusionRule{c}.add(r)
	switch {
	case r.Unasked() && !exact:
		return unknown("these are more operations than porcupine can take at once")
	case r.Unasked() && bad:
		return violation()
	case r.Unasked():
		return valid
	case r.Unfinished():
		return unknown("porcupine did not finish in %v", c.limits.Timeout)
	case exact && bad != r.Illegal():
		// one of them is wrong, so nothing else counts
		c.verdict.HarnessError = explain.Say("the checks disagree: %s", explain.Say(
			"lock %d: the fast check found a violation: %v; porcupine says %s", key, bad,
			string(r.Result)))
		return unknown("the two checks disagree")
	case r.Illegal():
		return violation()
	}
	return valid
}

// picture keeps the first slice of a history that is not linearizable for Verdict.Visual.
func (c exclusionRule) picture(failing []linear.Op, name func(token int32) string) {
	if c.verdict.Draw == nil && failing != nil {
		c.verdict.Draw = func() ([]byte, error) { return linear.Draw(failing, name) }
	}
}

// add joins a ruling into the summary of the verdict: the worst result counts.
func (c exclusionRule) add(r linear.Ruling) {
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

// flawed makes a property of a flaw and the tokens that show it.
func flawed(h *history.Header, l *linear.Log, key int, f linear.Flaw, a, b int32) property {
	return Flawed(h, key, f, tokenHold(l, a), tokenHold(l, b))
}

// Flawed makes a property of a flaw of the lock with this number: of hold a, or of a and b.
func Flawed(h *history.Header, key int, f linear.Flaw, a, b verdict.Hold) verdict.Property {
	p := violated(key, a)
	first, second := linear.Name{Process: a.Process, N: a.N}, linear.Name{Process: b.Process, N: b.N}
	if f == linear.DoubleRelease && a.N == 0 {
		f = linear.PhantomRelease // two releases of no acquisition
	}
	p.Class = flawClasses[f]
	if f == linear.Overlap || f == linear.CoveredPoint {
		p.Witness.Holds = append(p.Witness.Holds, b)
	}
	p.Cause = explain.FlawCause(f, first, second)
	p.Explanation = explain.Flaw(h, key, f, first, second, a)
	return p
}

// flawClasses are the classes of flaws; the others have none.
var flawClasses = map[linear.Flaw]string{linear.Overlap: verdict.DoubleGrant,
	linear.PhantomRelease: verdict.ReleasedByNonOwner,
	linear.CoveredPoint:   verdict.ReleasedByNonOwner}

// tokenHold shows a token; an end that is not known is left at the largest stamp.
func tokenHold(l *linear.Log, t int32) hold {
	tok := linear.Tokens(l.Ops)[t]
	return hold{Process: l.Names[t].Process, N: l.Names[t].N, From: tok.From, To: tok.End}
}

// lease judges a history alone as a server that keeps leases exactly.
func (c exclusionRule) lease() property {
	if c.history.Header.Untimed {
		return unknown("the history has no times, so that no lease can be measured")
	}
	all, why := linear.LeaseHolds(c.history, cmp.Or(c.limits.TTL, c.history.Header.TTL.D()))
	if why != linear.Fits {
		return property{Reason: explain.Unfit(why)}
	}
	p := valid
	for _, key := range slices.Sorted(maps.Keys(all)) {
		hs := all[key]
		bad, first, exact := linear.FastLease(hs)
		p = verdict.Worse(p, c.decide(key, linear.Leases(hs, c.limits.Timeout), exact, bad >= 0,
			func() property {
				if bad < 0 {
					p := violated(key)
					p.Explanation = explain.EarlyGrant(key, nil)
					return p
				}
				return earlyGrant(key, hs[first:bad+1])
			}))
	}
	return p
}

func earlyGrant(key int, chain []linear.LeaseHold) property {
	p := violated(key)
	p.Class = verdict.DoubleGrant
	for _, h := range chain {
		p.Witness.Holds = append(p.Witness.Holds, hold{Process: h.Name.Process, N: h.Name.N, From: h.Ret,
			To: min(h.Released, h.Ret+h.TTL), LeaseEnd: h.Ret + h.TTL})
	}
	p.Explanation = explain.EarlyGrant(key, chain)
	return p
}

// reentrant judges a history alone as a re-entrant mutex. If all outcomes are known, it reduces
// holds to the outermost. That is exact: everything in between is legal if and only if the counts
// of the process fit, whatever others do. With unknown outcomes porcupine gets the whole history.
func (c exclusionRule) reentrant() property {
	p := valid
	logs := linear.Logs(c.history)
	for _, key := range slices.Sorted(maps.Keys(logs)) {
		l := logs[key]
		outer, bad, known := linear.Outermost(l.Ops)
		rule := linear.Reentrant
		if known && bad < 0 {
			rule = func([]linear.Op, time.Duration) linear.Ruling {
				return linear.Mutex(outer, c.limits.Timeout)
			}
		}
		f, a, b := linear.FastMutex(outer)
		r := rule(l.Ops, c.limits.Timeout)
		p = verdict.Worse(p, c.decide(key, r, known, bad >= 0 || f != linear.NoFlaw, func() property {
			switch {
			case known && bad < 0:
				return flawed(&c.history.Header, l, key, f, a, b)
			}
			p := violated(key)
			p.Explanation = explain.NoReentrantOrder(key)
			if known {
				p.Explanation = explain.Miscounted(key, l.Names[l.Ops[bad].Token])
			}
			return p
		}))
	}
	return p
}

// register judges the reads, writes and compare-and-sets of a history alone as a register with an
// unknown initial value. As in Jepsen, a failed operation had no effect and says nothing: a cas may
// fail for any reason.
func (c exclusionRule) register() property {
	byKey := map[int][]linear.Section{}
	for _, a := range linear.Accesses(c.history, record.Forever) {
		seen := a.Outcome == history.OK && (a.If != nil || !a.Write && a.Known)
		switch {
		case a.Silent():
			return property{Reason: explain.Say(silentWrite)}
		case a.Write && a.Outcome != history.Fail, seen:
			byKey[a.Key] = append(byKey[a.Key], a.Section())
		}
		if seen {
			c.verdict.Evidence.Observed++
		}
	}
	if len(byKey) == 0 {
		return notApplicable("the history has no reads and writes with values")
	}
	if c.verdict.Evidence.Observed == 0 {
		return unknown("no read or cas says what a register held, so that any order fits")
	}
	p, h := valid, &c.history.Header
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		ss := byKey[key]
		r := linear.Register(ss, c.limits.Timeout)
		bad, exact := linear.FastRegister(ss)
		p = verdict.Worse(p, c.decide(key, r, exact, bad != nil, func() property {
			p := violated(key)
			p.Explanation = explain.NoRegisterOrder(h, key, bad)
			if s := linear.Unexplained(ss, c.limits.Timeout); s != nil {
				p.Cause = explain.RegisterCause(h, s)
			}
			return p
		}))
	}
	return p
}
