package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
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
// valid run, for an imported history, and for a lost update or a late notice if no overlap tells
// whose it is.
func Whose(v *View) string {
	h := v.History.Header
	if v.Verdict == nil || h.Environment == "" {
		return ""
	}
	own, lock := Defects(v), lockOf(v)
	switch {
	case len(own) > 0 && own[0] == v.First():
		return own[0].Title() + " is a defect of " + lock + prevented(own[0])
	case v.Verdict.Verdict != checker.Violated || v.First() == nil:
		return ""
	case v.First().Concerns(checker.Notice):
		return blameNotice(v, lock)
	case v.First().shared() && v.First().property.Outside() == "":
		return shareBlame(v.First(), lock)
	case v.First().Class == "" && v.First().property.Outside() == "":
		return ""
	}
	s := "Not a defect of " + lock + ": " + outside(v.First(), h)
	if len(own) > 0 {
		s += " A defect of the lock: " + own[0].Title() + "."
	}
	return s
}

// blameNotice says whose a late notice is: it follows from the overlap of S. It returns "" if S is
// not known to be violated.
func blameNotice(v *View, lock string) string {
	s := v.Verdict.Property(checker.MutualExclusion)
	if s.Verdict != checker.Violated {
		s = v.Unasked.overlap
	}
	switch {
	case s.Verdict != checker.Violated || s.Witness == nil:
		return ""
	case v.Verdict.IsDefect(s, lossy(v)):
		w := newViolation(s)
		return "It follows from " + w.Title() + ", a defect of " + lock + prevented(w)
	}
	how := "a server that tells the holder before it grants the lock again"
	if checker.FindClass(s.Class).Overrun {
		how = "a grant that says until when it is good, since a holder that is stopped or cut off " +
			"hears nothing later"
	}
	return "Not a defect of " + lock + ": " + outside(newViolation(s), v.History.Header) +
		" Telling the holder in time needs " + how + "."
}

// shared reports whether a violation has a part of a fault and a part of the lock: an outage, or a
// key that was left behind.
func (w *Violation) shared() bool {
	return w.Class == "" && (w.Concerns(checker.Outage) || w.Concerns(checker.Orphan)) &&
		len(w.faultsMeanwhile()) > 0
}

// faultsMeanwhile returns the faults that were under way during a violation.
func (w *Violation) faultsMeanwhile() (fs []*record.Fault) {
	for i := range w.faults {
		if f := &w.faults[i]; f.From < w.To && w.From < f.To {
			fs = append(fs, f)
		}
	}
	return fs
}

// shareBlame names the part of the faults and the part of the lock in a violation.
func shareBlame(w *Violation, lock string) string {
	part := lock + " let no other client in for " + units.Span(time.Duration(w.property.Seconds*1e9))
	switch {
	case w.Concerns(checker.Outage):
	case w.property.Stays:
		part = "the key of " + lock + " has no time to live that ends what was left"
	default:
		part = "the key of " + lock + " stays until its lease is over"
	}
	meanwhile := page.Clean(explain.Faults(w.faultsMeanwhile()), 300)
	return "The fault and the lock have a part each: " + meanwhile +
		", and " + part + "."
}

// lockOf names the lock of a run. A lock of lockbench that has the name of a library is a port of
// its algorithm, and its defects need not be the library's.
func lockOf(v *View) string {
	name := v.History.Header.Impl
	lock := page.Clean(name, 60)
	library, _, _ := strings.Cut(name, "-")
	if v.Planned().Adapter != nil || !harness.IsLibrary(library) {
		return lock
	}
	return lock + " (lockbench's port; the library: --adapter " + library + ")"
}

// prevented says what prevents a violation, or that a lock can.
func prevented(w *Violation) string {
	how := checker.FindClass(w.Class).Prevented
	switch {
	case w.Class == checker.ReleasedByNonOwner && w.tookOver():
		how = "a lease that the server ends, so that no client has to delete a key to take the lock"
	case w.property.CountedEarly():
		how = "counting the lease of each try from the beginning of that try"
	case w.CameLate() && w.Assumption != "":
		how = "telling the time by a clock that goes on while the machine sleeps"
	case w.CameLate():
		how = checker.FindClass(checker.OverWhenDelivered).Prevented
	case w.Class == checker.LateMessage && len(w.Commands) > 0:
		how = "an owner check with a new value for each try"
	}
	switch {
	case how != "":
		return ": a lock can prevent it by " + how + "."
	case w.Concerns(checker.Deadlock) && len(w.faults) > 0:
		return ": no fault was under way then, and nothing else that was recorded excuses it."
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
