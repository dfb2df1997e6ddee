package checker

import (
	"slices"
	"testing"
)

// TestClassesFitTheirLetters holds every violation of the tables to the table of classes.
func TestClassesFitTheirLetters(t *testing.T) {
	seen := 0
	for _, c := range everyStory(t) {
		for _, p := range Check(c.history, c.commands, c.options).Properties {
			if p.Class == "" || len(p.Property) > 1 { // a model
				continue
			}
			seen++
			if row := FindClass(p.Class); row.Name == "" ||
				!slices.Contains(row.Letters, p.Property) {
				t.Errorf("%s: %s is violated with the class %q, which the table does not allow", c.name,
					p.Property, p.Class)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d classes were seen", seen)
	}
}
