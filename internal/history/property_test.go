package history

import (
	"os"
	"strings"
	"testing"
)

// TestEveryPropertyHasItsWords holds the rows to what the rest of the program takes from them, and
// to docs/design.md, which says what each is.
func TestEveryPropertyHasItsWords(t *testing.T) {
	page, err := os.ReadFile("../../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range propertyRows {
		if r.Name == "" || r.Meaning == "" || r.Broken == "" {
			t.Errorf("the row %+v is not complete", r)
		}
		if !strings.Contains(string(page), "| "+r.Name+" |") &&
			!strings.Contains(string(page), "`"+r.Name+"`") {
			t.Errorf("docs/design.md, The properties, does not say what %s is", r.Name)
		}
		if found, ok := FindProperty(r.Name); !ok || found != r {
			t.Errorf("FindProperty(%q) = %+v, %v", r.Name, found, ok)
		}
	}
	if _, ok := FindProperty("mutex"); ok {
		t.Error("the model of an imported history is no property")
	}
}
