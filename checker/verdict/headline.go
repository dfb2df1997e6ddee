package verdict

import (
	"cmp"
	"slices"
)

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
