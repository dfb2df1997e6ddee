package view

import (
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/reports/page"
)

// Defects returns the violations that a lock of its kind can prevent, the worst first.
func Defects(v *View) []*Violation {
	return slices.DeleteFunc(slices.Clone(v.Violations), func(w *Violation) bool {
		return !slices.ContainsFunc(w.Properties, func(letter string) bool {
			return v.Verdict.IsDefect(v.Verdict.Property(letter), lossy(v))
		})
	})
}

// lossy reports whether a fault may have made a server lose what it had confirmed.
func lossy(v *View) bool {
	return slices.ContainsFunc(v.Faults, func(f Fault) bool {
		return f.Breaks() == nemesis.Durability
	})
}

// Whose says whether the worst violation is a defect of the lock, and why. It returns "" for a
// valid run, for an imported history, and for a lost update if no overlap tells whose it is.
func Whose(v *View) string {
	h := v.History.Header
	if v.Verdict == nil || h.Environment == "" {
		return ""
	}
	own, lock := Defects(v), page.Clean(h.Impl, 60)
	switch {
	case len(own) > 0 && own[0] == v.First():
		return own[0].Title() + " is a defect of " + lock + prevented(own[0])
	case v.Verdict.Verdict != checker.Violated || v.First() == nil,
		v.First().Class == "" && v.First().property.Outside() == "":
		return ""
	}
	s := "Not a defect of " + lock + ": " + outside(v.First(), h)
	if len(own) > 0 {
		s += " A defect of the lock: " + own[0].Title() + "."
	}
	return s
}

// prevented says what prevents a violation, or that a lock can.
func prevented(w *Violation) string {
	how := checker.FindClass(w.Class).Prevented
	switch {
	case w.Class == checker.ReleasedByNonOwner && w.tookOver():
		how = "a lease that the server ends, so that no client has to delete a key to take the lock"
	case w.CameLate() && w.Assumption != "":
		how = "telling the time by a clock that goes on while the machine sleeps"
	case w.CameLate():
		how = checker.FindClass(checker.OverWhenDelivered).Prevented
	case w.Class == checker.LateMessage && len(w.Commands) > 0:
		how = "an owner check with a new value for each try"
	}
	if how != "" {
		return ": a lock can prevent it by " + how + "."
	}
	return ": nothing that was recorded excuses it."
}

// tookOver reports whether a client deleted the key of another one when it acquired the lock.
func (w *Violation) tookOver() bool {
	return w.property.Witness != nil && slices.ContainsFunc(w.property.Witness.Commands,
		func(m checker.WitnessCommand) bool { return m.Kind.Deletes() && m.Trying })
}

// CameLate reports whether the violation is a grant that was believed although its reply came after
// its lease.
func (w *Violation) CameLate() bool { return w.property.CameLate() }

// outside says why no lock of its kind prevents a violation, and which assumption was broken.
func outside(w *Violation, h history.Header) string {
	why := w.property.Outside()
	if where := forgets[h.Topology]; w.Class == checker.LostByServer && h.System == "" &&
		where != "" {
		lost := "a grant"
		if !slices.ContainsFunc(w.Properties, func(p string) bool { return p != history.Fencing }) {
			lost = "the counter of its tokens"
		}
		why = fmt.Sprintf("any lock on "+where, lost)
	}
	if why == "" {
		why = "it follows from the overlap"
	}
	if w.Assumption != "" {
		why += " (the fault broke an assumption: " + page.Clean(w.Assumption, 40) + ")"
	}
	return why + "."
}

// forgets says what servers lose a confirmed write, and so %s, by topology.
var forgets = map[string]string{
	nemesis.Single:      "one Redis that restarts without its data loses %s so",
	nemesis.Failover:    "one Redis master loses %s that the promoted replica lacks",
	nemesis.Sentinel:    "one Redis master loses %s that the promoted replica lacks",
	nemesis.Cluster:     "one Redis master loses %s that the promoted replica lacks",
	nemesis.Independent: "masters that forget their votes loses %s so",
}
