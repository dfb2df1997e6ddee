package reports

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdown(t *testing.T) {
	for name, s := range map[string]scene{"violated": {clients: 4, cycles: 14, fail: true}, "valid": {
		clients: 4, cycles: 40}, "unknown": {clients: 4, cycles: 3}} {
		var b bytes.Buffer
		if err := WriteMarkdown(&b, seen(t, newRun(t, s))); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", "report-"+name+".md")
		if *update {
			write(t, file, b.String())
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestHostileTextInMarkdownStaysText(t *testing.T) {
	r := hostileRun(t)
	r.History.Header.Command = "lockbench run ``` <script>"
	var b bytes.Buffer
	if err := WriteMarkdown(&b, seen(t, r)); err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(b.String(), "## Do it again") // below is a block of code
	for _, bad := range []string{"<img", "<script", "<svg", "\x00", "\x1b", "\u202E"} {
		if strings.Contains(before, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	if strings.Count(b.String(), "```") != 2 {
		t.Error("the command ends its block of code")
	}
}
