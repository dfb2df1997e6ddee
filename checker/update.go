package checker

import (
	"slices"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// section is a critical section as the guarded resource saw it: what it read, and what it wrote
// then.
type section struct {
	process, n  int
	from, to    int64 // the read was invoked; the write returned, forever if nobody knows
	read, wrote int64
	outcome     history.Type // of the write; Fail: it wrote nothing
}

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
		r := c.rule(sectionModel(), sectionOperations(ss))
		switch r.result {
		case porcupine.Unknown:
			p = verdict.Worse(p, c.unfinished())
		case porcupine.Illegal:
			p = verdict.Worse(p, lost(key, ss))
		}
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

// silent reports whether an access is such a write.
func (a access) silent() bool { return a.write && !a.known && a.outcome != history.Fail }

// sections joins each read that succeeded with the next write of the same acquisition. A read
// without a write is a section that wrote nothing.
func sections(as []access) map[int][]section {
	type id struct{ process, n, key int }
	out := map[int][]section{}
	last := map[id]int{} // index of the section whose write is yet to come
	for _, a := range as {
		k := id{a.process, a.n, a.key}
		i, reading := last[k]
		switch {
		case !a.write && a.outcome == history.OK && a.known:
			last[k] = len(out[a.key])
			out[a.key] = append(out[a.key], section{a.process, a.n, a.from, a.to, a.value, 0, history.Fail})
		case a.write && reading:
			s := &out[a.key][i]
			s.wrote, s.outcome, s.to = a.value, a.outcome, a.to
			delete(last, k)
		case a.write: // without a read: it fits any value
			out[a.key] = append(out[a.key], section{a.process, a.n, a.from, a.to, anything, a.value,
				a.outcome})
		}
	}
	return out
}

// anything is what a section read that did not read.
const anything = int64(-1) << 62

// stepSection is the guarded resource. Its state is the value, anything at first.
func stepSection(state int64, s *section) (bool, int64) {
	fits := state == anything || s.read == anything || s.read == state
	switch {
	case s.outcome == history.OK && fits:
		return true, s.wrote
	case s.outcome == history.OK:
		return false, state
	case s.outcome == history.Fail && fits:
		if state == anything {
			return true, s.read
		}
		return true, state
	case s.outcome == history.Fail:
		return false, state
	case fits:
		return true, s.wrote
	}
	return true, state // a write that may never have happened: last, and without effect
}

func sectionModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return anything },
		Step: func(state, input, _ any) (bool, any) {
			return second(stepSection(state.(int64), input.(*section)))
		},
		Hash: func(state any) uint64 { return uint64(state.(int64)) * 0x9E3779B97F4A7C15 },
		DescribeOperation: func(input, _ any) string {
			s := input.(*section)
			return explain.Say("read %d, wrote %d (%s)", s.read, s.wrote, s.outcome)
		},
	}
}

func second(ok bool, state int64) (bool, any) { return ok, state }

func sectionOperations(ss []section) []porcupine.Operation {
	out := make([]porcupine.Operation, len(ss))
	for i := range ss {
		out[i] = porcupine.Operation{ClientId: ss[i].process, Input: &ss[i], Call: ss[i].from,
			Return: ss[i].to}
	}
	return out
}

// rule lets porcupine decide on operations as they are.
func (c *check) rule(m porcupine.Model, ops []porcupine.Operation) ruling {
	r := ruleWhole(m, ops, c.options.Timeout)
	c.add(r)
	return r
}

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
			"Client %d read %d at %s and wrote %d; client %d read %d at %s and wrote %d. One of the two updates of resource %d is lost.",
			o.process, o.read, at(o.from), o.wrote, s.process, s.read, at(s.from), s.wrote, key)
		p.Witness = &Witness{Key: key, Holds: []Hold{{Process: o.process, N: o.n, From: o.from, To: o.to},
			{Process: s.process, N: s.n, From: s.from, To: s.to}}}
		return p
	}
	p.Explanation = explain.Say(
		"The reads and writes of resource %d fit no order in which each critical section sees what the one before it wrote.", key)
	return p
}
