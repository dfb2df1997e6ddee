package checker

import (
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// updates judges that no update of the guarded resource is lost: each critical section is one
// atomic read-and-write, placed between the invocation of its read and the return of its write.
//
// Sound: the resource itself takes one access at a time and never fails. If no section lost an
// update, no other section wrote between its read and its write; then putting each section where it
// wrote is a linearization. So if there is none, some section's write was based on a value that
// another one had overwritten. A write that nobody knows of may have happened or not; it returns at
// forever. What the resource held at first is whatever the first section read.
func (c *check) updates() Property {
	as := accesses(c.history, c.trust.Cut)
	if slices.ContainsFunc(as, access.silent) {
		return Property{Reason: explain.Say(silentWrite)}
	}
	all := sections(as)
	p := Property{Verdict: Valid}
	for _, key := range sortedKeys(all) {
		ss := all[key]
		c.verdict.Evidence.Sections += len(ss)
		p = verdict.Worse(p, c.decide(key, ruleSections(ss, c.options.Timeout), false, false,
			func() Property { return lost(key, ss) }))
	}
	if c.verdict.Evidence.Sections == 0 {
		return Property{
			Verdict: NA, Reason: explain.Say("the workload did not read and write a guarded resource")}
	}
	return p
}

// silentWrite is why nothing is known after a write that may have happened and does not say what it
// wrote.
const silentWrite = "a write does not say what it wrote"

// lost explains a lost update, best with two sections that wrote upon the same value.
func lost(key int, ss []section) Property {
	p := Property{Verdict: Violated}
	by := map[int64]*section{}
	for i := range ss {
		s := &ss[i]
		if s.outcome != history.OK || s.read == anything || s.read == s.wrote {
			continue
		}
		o := by[s.read]
		if o == nil {
			by[s.read] = s
			continue
		}
		p.Explanation = explain.Say(
			"Client %d read %d at %s and wrote %d; client %d read %d at %s and wrote %d. One of the two "+
				"updates of resource %d is lost.",
			o.process, o.read, at(o.from), o.wrote, s.process, s.read, at(s.from), s.wrote, key)
		p.Witness = &Witness{Key: key, Holds: []Hold{{Process: o.process, N: o.n, From: o.from, To: o.to},
			{Process: s.process, N: s.n, From: s.from, To: s.to}}}
		return p
	}
	p.Explanation = explain.Say(
		"The reads and writes of resource %d fit no order in which each critical section sees what the "+
			"one before it wrote.", key)
	return p
}
