package nemesis

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestThePageIsTheCode holds every piece of Go on the page to the code of this package.
func TestThePageIsTheCode(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "adding-a-fault.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(b)
	}
	pieces := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(pieces) < 4 {
		t.Fatalf("the page has %d pieces of code", len(pieces))
	}
	for _, p := range pieces {
		if !strings.Contains(code.String(), p[1]) {
			t.Errorf("this is on the page, and not in the package:\n%s", p[1])
		}
	}
}
