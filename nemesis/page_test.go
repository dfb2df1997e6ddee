package nemesis

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestThePageIsTheCode holds every piece on the page to the table and the code of this package.
func TestThePageIsTheCode(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "adding-a-fault.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "faults.yaml")
	var code strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(b)
	}
	pieces := regexp.MustCompile("(?s)```(?:go|yaml)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(pieces) < 2 {
		t.Fatalf("the page has %d pieces of code", len(pieces))
	}
	for _, p := range pieces {
		if !strings.Contains(code.String(), p[1]) {
			t.Errorf("this is on the page, and not in the package:\n%s", p[1])
		}
	}
}
