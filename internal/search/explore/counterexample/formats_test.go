package counterexample

import (
	"os"
	"strings"
	"testing"
)

// TestTheExampleOfTheFormatsPageIsReal reads the counterexample that docs/formats.md shows.
func TestTheExampleOfTheFormatsPageIsReal(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## A counterexample")
	_, block, fenced := strings.Cut(section, "```yaml\n")
	block, _, closed := strings.Cut(block, "\n```")
	if !found || !fenced || !closed {
		t.Fatal("the page shows none")
	}
	if _, err := Read(strings.NewReader(block)); err != nil {
		t.Error(err)
	}
}
