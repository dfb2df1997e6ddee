package verdict

// The assumption that a moved clock of a client breaks (nemesis.ClientClocks).
const clientClock = "client clock"

// Own reports whether a violation is a defect of the lock: another lock on the same servers could
// have prevented it. It is the one place that decides this. A lost update is as much the lock's as
// the overlap that it came from, and what is only reported has a class if it is a defect.
func (v *Verdict) Own(p Property) bool {
	class := FindClass(p.Class)
	switch {
	case p.Verdict != Violated:
		return false
	case p.Property == LostUpdate && v.Property(MutualExclusion).Verdict == Violated:
		return v.Own(v.Property(MutualExclusion))
	case class.Name == Clock:
		return p.Assumption == clientClock
	case class.Outside != "":
		return false
	}
	return class.Name != "" || !p.Reported
}
