package rules

import (
	"maps"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// updates judges that no update of the guarded resource is lost: each critical section is one
// atomic read-and-write, placed between the invocation of its read and the return of its write.
//
// updateRule judges U: whether the resource lost an update.
type updateRule struct{ *Case }

// updates is sound: the resource itself takes one access at a time and never fails. If no section
// lost an update, no other section wrote between its read and its write. Then putting each section
// where it wrote is a linearization. So if there is no linearization, some section's write was
// based on a value that another one had overwritten. A write of unknown outcome may have happened
// or not: it returns at forever. The first section's read determines the initial value of the
// resource.
func (c updateRule) updates() property {
	as := linear.Accesses(c.history, c.trust.Cut)
	if slices.ContainsFunc(as, linear.Access.Silent) {
		return property{Reason: explain.Say(silentWrite)}
	}
	all := linear.Sections(as)
	p := valid
	for _, key := range slices.Sorted(maps.Keys(all)) {
		ss := all[key]
		c.verdict.Evidence.Sections += len(ss)
		bad, exact := linear.FastRegister(ss)
		p = verdict.Worse(p, c.decide(key, linear.Register(ss, c.limits.Timeout), exact, bad != nil,
			func() property {
				return c.unlessLapsed(key, lostUpdate(&c.history.Header, c.faults, key, ss, bad))
			}))
	}
	if c.verdict.Evidence.Sections == 0 {
		return notApplicable("the workload did not read and write a guarded resource")
	}
	refused, needed := c.verdict.Evidence.Conflicts, c.history.Header.Requires.Conflicts
	if p.Verdict == verdict.Valid && refused < needed {
		return unknown("%d of the %d writes that it needs came second and were refused", refused, needed)
	}
	return p
}

// unlessLapsed returns a lost update as unknown if it needs a lease to have run out that lost time
// took: of a section of the witness, or of any hold if there is none.
func (c updateRule) unlessLapsed(key int, p property) property {
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
		in := func(x hold) bool { return x.Process == h.Process && x.N == h.N }
		if h.Key != key || p.Witness != nil && !slices.ContainsFunc(p.Witness.Holds, in) {
			continue
		}
		if why := c.excuses().lapsed(h, h.End); why != "" {
			return stalled("an update was lost, but %s", why)
		}
	}
	return p
}

// silentWrite says why the history cannot be judged after a possible write of an unknown value.
const silentWrite = "a write does not say its value"

// lostUpdate explains a lost update, preferably with two sections that wrote upon the same value,
// otherwise with the finding of the check without search.
func lostUpdate(h *history.Header, faults []record.Fault, key int, ss []linear.Section,
	bad *linear.Misplaced) property {
	by := map[int64]*linear.Section{}
	for i := range ss {
		s := &ss[i]
		if s.Outcome != history.OK || s.Read == linear.Anything || s.Read == s.Wrote {
			continue
		}
		o := by[s.Read]
		if o == nil {
			by[s.Read] = s
			continue
		}
		p := violated(key, hold{Process: o.Process, N: o.N, From: o.From, To: o.To},
			hold{Process: s.Process, N: s.N, From: s.From, To: s.To})
		p.Explanation, p.Cause = explain.LostUpdate(key, o, s), explain.ReadBack(faults, o, s)
		return p
	}
	return property{Verdict: verdict.Violated, Explanation: explain.NoUpdateOrder(h, key, bad)}
}
