package history

// The properties that a history can be judged by, as flags, files and verdicts name them.
const (
	MutualExclusion = "S" // two clients are never inside at once
	LeaseExclusion  = "L" // nor while both leases are valid
	OwnerRelease    = "O" // only the owner releases
	Orphan          = "R" // no key stays set that no client holds
	Deadlock        = "D" // a live client that tries is granted in time
	Fencing         = "F" // fencing tokens grow
	LostUpdate      = "U" // no update of the guarded resource is lost
	// a holder can acquire again, and its lock is free only after as many releases
	Reentry = "re-entry"
	// two clients are never inside while the lock itself tells both that they are
	Validity = "validity"
)

// Properties returns the names of all properties. The caller may keep and change the slice.
func Properties() []string {
	return []string{MutualExclusion, LeaseExclusion, OwnerRelease, Orphan, Deadlock, Fencing,
		LostUpdate,
		Reentry, Validity}
}
