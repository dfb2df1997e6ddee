package verdict

import (
	"cmp"
	"slices"
)

// The assumption that a moved clock of a client breaks (nemesis.ClientClocks).
const clientClock = "client clock"

// ServersAnswer is the assumption that is broken while no server can grant a lock (A).
const ServersAnswer = "a majority of the servers answers"

// IsDefect reports whether a violation is a defect of the lock: another lock on the same servers
// could have prevented it. It is the one place that decides this. A lost update and a late notice
// are the lock's if the overlap before them is. Without an overlap an update is the lock's only if
// S was judged, or is not asked of such a lock, and lossy is false: no fault made a server lose
// what it had confirmed. A loss of one message leaves a key behind, so an orphan is the lock's only
// if it has a class. The same is true of properties that are only reported. An outage has a part of
// the fault, too.
func (v *Verdict) IsDefect(p Property, lossy bool) bool {
	overlap := v.Property(MutualExclusion)
	switch {
	case p.Verdict != Violated:
		return false
	case p.Property == Outage, p.Property == Notice && overlap.Verdict != Violated:
		return false
	case (p.Property == LostUpdate || p.Property == Notice) && overlap.Verdict == Violated:
		return v.IsDefect(overlap, lossy)
	case p.Property == LostUpdate && (lossy || overlap.Verdict != Valid && overlap.Verdict != NA):
		return false
	case p.Outside() != "":
		return false
	}
	return p.Class != "" || !p.Reported && p.Property != Orphan
}

// Outside says why no lock of its kind can prevent the violation, in a clause. It returns "" if it
// has no class, or a lock can prevent it.
func (p Property) Outside() string {
	switch {
	case p.Class == Clock && p.Assumption == clientClock, p.Class == Vanished && p.emptiedByClient():
		return ""
	case p.Assumption == ServersAnswer:
		return "no lock can let a client in while its servers do not answer"
	}
	return FindClass(p.Class).Outside
}

// emptiedByClient reports whether the witness has a command by which a client emptied the server.
func (p Property) emptiedByClient() bool {
	return p.Witness != nil && slices.ContainsFunc(p.Witness.Commands, func(m WitnessCommand) bool {
		return m.Kind == Emptying && m.Recv != 0 && m.Err == ""
	})
}

// gravity lists the properties in the order of a headline, the worst first.
var gravity = []string{LeaseExclusion, MutualExclusion, OwnerRelease, Deadlock, Fencing, LostUpdate,
	Reentry, Validity, Orphan, Outage, Notice}

// Rank returns the place of a violation among all that a run may have; the worst is 0. Overruns
// come last among the violations that decide the run. Violations that are only reported come after
// them.
func Rank(property, class string, reported bool) int {
	rank := slices.Index(gravity, property)
	if property == MutualExclusion && FindClass(class).Overrun {
		rank = len(gravity)
	}
	if reported {
		rank += 2 * len(gravity)
	}
	return rank
}

// Worst returns the worst violation that decides the run, and whether there is one.
func (v *Verdict) Worst() (worst Property, found bool) {
	for _, p := range v.Properties {
		if p.Verdict == Violated && !p.Reported && (!found || ByRank(p, worst) < 0) {
			worst, found = p, true
		}
	}
	return worst, found
}

// ByRank orders violations, the worst first.
func ByRank(a, b Property) int {
	return cmp.Compare(Rank(a.Property, a.Class, a.Reported), Rank(b.Property, b.Class, b.Reported))
}
