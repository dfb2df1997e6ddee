package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/reports/reporttest"
)

func TestMarkdown(t *testing.T) {
	for name, s := range map[string]reporttest.Scene{"violated": {Clients: 4, Cycles: 14, Fail: true},
		"valid": {
			Clients: 4, Cycles: 40}, "unknown": {Clients: 4, Cycles: 3}} {
		var b bytes.Buffer
		if err := WriteMarkdown(&b, reporttest.View(t, reporttest.NewRun(t, s))); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "report-"+name+".md", b.String())
	}
}

func TestHostileTextInMarkdownStaysText(t *testing.T) {
	r := reporttest.HostileRun(t)
	r.History.Header.Command = "lockbench run ``` <script>"
	var b bytes.Buffer
	if err := WriteMarkdown(&b, reporttest.View(t, r)); err != nil {
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
