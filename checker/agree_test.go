package checker

import "testing"

// TestNoClassContradictsO wants no history of the tables in which O is valid and the class of
// another violation says that a client deleted the key of another one.
func TestNoClassContradictsO(t *testing.T) {
	unsure := 0
	for _, c := range everyStory(t) {
		v := Check(c.history, c.commands, Options{Properties: []string{"S", "L", "O"}})
		o := v.Property(OwnerRelease)
		for _, p := range v.Properties {
			if p.Verdict == Violated && p.Class == ReleasedByNonOwner && o.Verdict == Valid {
				t.Errorf("%s: %s is %s, and O is valid", c.name, p.Property, p.Class)
			}
		}
		if o.Verdict == Unknown && len(v.Violated(false)) > 0 {
			unsure++
		}
	}
	if unsure == 0 {
		t.Error("no history has a deletion that O cannot establish")
	}
}
