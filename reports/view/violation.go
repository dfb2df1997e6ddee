package view

import (
	"cmp"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
)

// exclusive are the properties whose violation is two clients inside at once.
var exclusive = []string{checker.MutualExclusion, checker.LeaseExclusion, checker.Validity}

// Violation is what a report shows of a violation, and all properties that it speaks for.
type Violation struct {
	Properties []string
	Key        int
	Holds      []checker.Hold
	From, To   int64 // while all of its holds last; or their whole extent, if they do not overlap
	Together   bool  // there is such a time
	Class      string
	Assumption string
	Before     []checker.Hold // with which its story begins, of a client that was killed
	More       int            // other pairs of holds of its lock that overlap, too
	Told       []string       // the explanations of its properties, each once
	Commands   []checker.WitnessCommand
	property   checker.Property // its worst
	rank       int              // of its worst property
	scene
}

func rankOf(p checker.Property) int { return checker.Rank(p.Property, p.Class, p.Reported) }

// Endless reports whether a hold has no end in the record, as happens in an imported history.
func Endless(h checker.Hold) bool { return h.To == record.Forever }

// violationsOf returns the violations of a verdict, the worst first, and each once, also where it
// speaks for several properties.
func violationsOf(v *checker.Verdict) (ws []*Violation) {
	for _, reported := range []bool{false, true} {
		for _, p := range v.Properties {
			if p.Verdict == checker.Violated && p.Witness != nil && p.Reported == reported {
				ws = join(ws, p)
			}
		}
	}
	slices.SortStableFunc(ws, func(a, b *Violation) int { return cmp.Compare(a.rank, b.rank) })
	return ws
}

// join adds a property to the violation that stands for it, or else a violation of its own.
func join(ws []*Violation, p checker.Property) []*Violation {
	for _, w := range ws {
		if len(w.Holds) > 0 && sameHolds(w.Holds, p.Witness.Holds) && w.Class == p.Class &&
			w.sameKind(p.Property) {
			w.tell(p)
			w.More = max(w.More, p.Witness.More)
			w.Properties = append(w.Properties, p.Property)
			if rankOf(p) < w.rank {
				w.rank, w.property = rankOf(p), p
			}
			return ws
		}
	}
	return append(ws, newViolation(p))
}

// sameKind reports whether a property is about the same thing as the violation: two inside at once,
// or not.
func (w *Violation) sameKind(property string) bool {
	return slices.Contains(exclusive, property) == slices.Contains(exclusive, w.Properties[0])
}

// tell adds the explanation of a property. If the same holds violate S and another property, the
// other's explanation replaces S's, because it says more.
func (w *Violation) tell(p checker.Property) {
	if len(w.Properties) == 1 && w.Properties[0] == checker.MutualExclusion &&
		p.Property != checker.MutualExclusion {
		w.Told = nil
	}
	told := units.ShortOwners(p.Explanation)
	if told != "" && !slices.Contains(w.Told, told) {
		w.Told = append(w.Told, told)
	}
}

func newViolation(p checker.Property) *Violation {
	w := &Violation{Properties: []string{p.Property}, Key: p.Witness.Key, Holds: p.Witness.Holds,
		Class: p.Class, Assumption: p.Assumption, Commands: p.Witness.Commands,
		More: p.Witness.More, property: p, rank: rankOf(p)}
	w.tell(p)
	if len(w.Holds) == 0 {
		w.spanCommands()
		return w
	}
	lo, hi := w.Holds[0].From, w.Holds[0].To
	w.From, w.To = lo, hi
	for _, h := range w.Holds[1:] {
		lo, hi = min(lo, h.From), max(hi, h.To)
		w.From, w.To = max(w.From, h.From), min(w.To, h.To)
	}
	w.Together = len(w.Holds) > 1 && w.From < w.To && slices.Contains(exclusive, p.Property)
	if !w.Together {
		w.From, w.To = lo, hi
	}
	return w
}

// spanCommands takes the time of a violation without holds from its commands.
func (w *Violation) spanCommands() {
	for i, c := range w.Commands {
		if i == 0 || c.Sent < w.From {
			w.From = c.Sent
		}
		w.To = max(w.To, c.Recv, c.Sent)
	}
}

// sameHolds reports whether two witnesses are about the same acquisitions.
func sameHolds(a, b []checker.Hold) bool {
	return slices.EqualFunc(a, b, func(x, y checker.Hold) bool {
		return x.Process == y.Process && x.N == y.N
	})
}

// Overlap returns how long all holds of the violation lasted together.
func (w *Violation) Overlap() time.Duration {
	if !w.Together {
		return 0
	}
	return time.Duration(w.To - w.From)
}

// Concerns reports whether the violation speaks for a property.
func (w *Violation) Concerns(property string) bool {
	return w != nil && slices.Contains(w.Properties, property)
}

// Has reports whether a process takes part in the violation.
func (w *Violation) Has(process int) bool {
	return slices.ContainsFunc(w.Holds, func(h checker.Hold) bool { return h.Process == process }) ||
		slices.ContainsFunc(w.sent(), func(c checker.WitnessCommand) bool { return c.Process == process })
}

// sent returns the commands of clients. The other witness commands happened by themselves.
func (w *Violation) sent() []checker.WitnessCommand {
	return slices.DeleteFunc(slices.Clone(w.Commands), func(c checker.WitnessCommand) bool {
		return len(c.Args) == 0
	})
}

// Processes returns the clients of the violation.
func (w *Violation) Processes() (ps []int) {
	for _, h := range w.Holds {
		ps = append(ps, h.Process)
	}
	if w.Together {
		return ps
	}
	for _, c := range w.sent() {
		ps = append(ps, c.Process)
	}
	return ps
}

// When returns the time that a timeline marks: the time when both clients were inside, the
// violating command, or the last hold.
func (w *Violation) When(v *View) (from, to int64) {
	from, to = w.From, v.Clamp(w.To)
	if w.Together {
		return from, to
	}
	n := len(w.Holds)
	if n == 1 && w.Holds[0].N == 0 { // a client that waits in vain
		return from, to
	}
	if n > 1 {
		from, to = w.Holds[n-1].From, w.Holds[n-1].From
	}
	if sent := w.sent(); len(sent) > 0 {
		last := sent[len(sent)-1]
		from, to = last.Sent, max(last.Sent, last.Recv)
	}
	return from, to
}

// HasHold reports whether an acquisition is one of the violation's.
func (w *Violation) HasHold(process, n int) bool {
	return slices.ContainsFunc(w.Holds, func(h checker.Hold) bool {
		return h.Process == process && h.N == n
	})
}

// Extent spans the first acquire call of the violation to the end of its overlap. Without a
// violation it starts at the grant.
func (w *Violation) Extent(v *View) (lo, hi int64) {
	lo, hi = w.From, w.To
	if len(w.Properties) == 0 {
		return lo, v.Clamp(hi)
	}
	for _, h := range v.Grants() {
		if w.HasHold(h.Process, h.N) {
			lo = min(lo, h.Call)
		}
	}
	for _, c := range w.Commands {
		if c.Sent > 0 {
			lo = min(lo, c.Sent)
		}
	}
	if h := w.PrecedingHold(v); h != nil {
		lo = min(lo, h.End)
	}
	return lo, v.Clamp(hi)
}

// PrecedingHold returns the last hold that ended before a violation without holds, or nil. A
// leftover key belongs to that hold's client.
func (w *Violation) PrecedingHold(v *View) (last *record.Hold) {
	if len(w.Holds) > 0 {
		return nil
	}
	for i := range v.Holds {
		if h := &v.Holds[i]; h.Key == w.Key && h.End <= w.From && (last == nil || h.End > last.End) {
			last = h
		}
	}
	return last
}

// play gives the clients their roles in the story that the run shows. The first violation begins
// with the hold of the client that was killed.
func (w *Violation) play(v *View, first bool) {
	for i, told := range w.Told {
		w.Told[i] = v.Cast.AddRoles(told)
	}
	for _, h := range v.Holds {
		if first && v.Cast.Roles != nil && h.Process == v.Cast.Dead && h.Ended == record.Killed &&
			!w.HasHold(h.Process, h.N) {
			w.Before = []checker.Hold{{Process: h.Process, N: h.N, From: h.From, To: h.End}}
		}
	}
}
