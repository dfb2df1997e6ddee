package linear

import (
	"fmt"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// A Section is a critical section as the guarded resource saw it: the value that it read and the
// value that it wrote.
type Section struct {
	Process, N  int
	From, To    int64 // the read was invoked; the write returned, forever if that is unknown
	Read, Wrote int64
	Outcome     history.Type // of the write; Fail: it wrote nothing
}

// Silent reports whether an access is a write that does not name its value.
func (a Access) Silent() bool { return a.Write && !a.Known && a.Outcome != history.Fail }

// Sections joins each read that succeeded with the next write of the same acquisition. A read
// without a write is a section that wrote nothing.
func Sections(as []Access) map[int][]Section {
	type id struct{ process, n, key int }
	out := map[int][]Section{}
	last := map[id]int{} // index of the section whose write is yet to come
	for _, a := range as {
		k := id{a.Process, a.N, a.Key}
		i, reading := last[k]
		switch {
		case !a.Write && a.Outcome == history.OK && a.Known:
			last[k] = len(out[a.Key])
			out[a.Key] = append(out[a.Key], a.Section())
		case a.Write && reading:
			s := &out[a.Key][i]
			s.Wrote, s.Outcome, s.To = a.Value, a.Outcome, a.To
			delete(last, k)
		case a.Write: // without a read: it fits any value
			out[a.Key] = append(out[a.Key], a.Section())
		}
	}
	return out
}

// Section returns the access as a section of its own: a read that writes nothing, or a write that
// fits any value.
func (a Access) Section() Section {
	s := Section{Process: a.Process, N: a.N, From: a.From, To: a.To, Read: a.Value,
		Outcome: history.Fail}
	if a.Write {
		s.Read, s.Wrote, s.Outcome = Anything, a.Value, a.Outcome
	}
	if a.If != nil {
		s.Read = *a.If
	}
	return s
}

// Anything is the value read by a section without a read.
const Anything = int64(-1) << 62

// stepSection is the guarded resource. Its state is the value, anything at first.
func stepSection(state int64, s *Section) (bool, int64) {
	fits := state == Anything || s.Read == Anything || s.Read == state
	switch {
	case s.Outcome == history.OK && fits:
		return true, s.Wrote
	case s.Outcome == history.OK:
		return false, state
	case s.Outcome == history.Fail && fits:
		if state == Anything {
			return true, s.Read
		}
		return true, state
	case s.Outcome == history.Fail:
		return false, state
	case fits:
		return true, s.Wrote
	}
	return true, state // a write that may never have happened: last, and without effect
}

func sectionModel() porcupine.Model {
	m := modelOf(Anything, stepSection, func(s *Section) string {
		return fmt.Sprintf("read %d, wrote %d (%s)", s.Read, s.Wrote, s.Outcome)
	})
	m.Hash = func(state any) uint64 { return uint64(state.(int64)) * 0x9E3779B97F4A7C15 }
	return m
}

func sectionOperations(ss []Section) []porcupine.Operation {
	out := make([]porcupine.Operation, len(ss))
	for i := range ss {
		out[i] = porcupine.Operation{ClientId: ss[i].Process, Input: &ss[i], Call: ss[i].From,
			Return: ss[i].To}
	}
	return out
}

// Access is a read, write or compare-and-set of the guarded resource.
type Access struct {
	Process, N, Key int
	From, To        int64 // invoked; returned, forever if that is unknown
	Value           int64
	Known           bool // the value is known
	Outcome         history.Type
	Write           bool
	If              *int64 // of a compare-and-set: the value that it replaces
}

// Accesses returns the clients' accesses to the guarded resource, in the order of their
// invocations.
func Accesses(h *history.History, cut int64) []Access {
	var out []Access
	open := map[int]int{}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Process < 0 || !accesses(e.F) || e.T >= cut {
			continue
		}
		if e.Type == history.Invoke {
			open[e.Process] = len(out)
			a := Access{Process: e.Process, N: e.N, Key: e.KeyOf(), From: e.T, To: record.Forever,
				Outcome: history.Info, Write: e.F != history.ReadOp}
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
		a.Outcome = e.Type
		if e.Type != history.Info {
			a.To = e.T
		}
		a.note(e)
	}
	return out
}

func accesses(f string) bool {
	return f == history.ReadOp || f == history.WriteOp || f == history.CasOp
}

func (a *Access) note(e *history.Event) {
	if e.If != nil {
		a.If = e.If
	}
	if e.Value != nil {
		a.Value, a.Known = *e.Value, true
	}
}

// Register lets porcupine decide on critical sections, if they are not too many for it.
func Register(ss []Section, timeout time.Duration) Ruling {
	return ruleWhole(sectionModel(), sectionOperations(ss), timeout)
}
