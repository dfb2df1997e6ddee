package verdict

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestClassesAreDocumented holds the table of classes to the one in docs/design.md.
func TestClassesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## Classes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !found {
		t.Fatal("docs/design.md has no section Classes")
	}
	for _, c := range classes {
		row := fmt.Sprintf("| %s | %s | %s |\n", c.Name, strings.Join(c.Letters, " "), c.Needs)
		if !strings.Contains(section, row) {
			t.Errorf("docs/design.md, Classes, lacks this row:\n%s", row)
		}
		if c.Summary == "" || c.Cause == "" {
			t.Errorf("%s has no summary or no cause", c.Name)
		}
	}
	if rows := strings.Count(section, "\n| ") - 1; rows != len(classes) {
		t.Errorf("docs/design.md has %d rows of classes, the code has %d", rows, len(classes))
	}
}

func TestFindClass(t *testing.T) {
	if c := FindClass(LeaseOverrun); !c.Overrun || c.Name != LeaseOverrun {
		t.Errorf("found %+v", c)
	}
	if c := FindClass("no such class"); c.Name != "" {
		t.Errorf("found %+v", c)
	}
}
