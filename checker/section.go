package checker

import (
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
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

// access is a read or write of the guarded resource.
type access struct {
	process, n, key int
	from, to        int64 // invoked; returned, forever if nobody knows
	value           int64
	known           bool // the value is known
	outcome         history.Type
	write           bool
}

// accesses returns what clients did to the guarded resource, in the order of its invocations.
func accesses(h *history.History, cut int64) []access {
	var out []access
	open := map[int]int{}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Process < 0 || e.F != history.ReadOp && e.F != history.WriteOp || e.T >= cut {
			continue
		}
		if e.Type == history.Invoke {
			open[e.Process] = len(out)
			a := access{process: e.Process, n: e.N, key: e.KeyOf(), from: e.T, to: record.Forever,
				outcome: history.Info, write: e.F == history.WriteOp}
			a.note(e)
			out = append(out, a)
			continue
		}
		j, ok := open[e.Process]
		if !ok || !e.Type.Completes() {
			continue
		}
		delete(open, e.Process)
		a := &out[j]
		a.outcome = e.Type
		if e.Type != history.Info {
			a.to = e.T
		}
		a.note(e)
	}
	return out
}

func (a *access) note(e *history.Event) {
	if e.Value != nil {
		a.value, a.known = *e.Value, true
	}
}

// ruleSections lets porcupine decide on critical sections.
func ruleSections(ss []section, timeout time.Duration) ruling {
	return ruleWhole(sectionModel(), sectionOperations(ss), timeout)
}
