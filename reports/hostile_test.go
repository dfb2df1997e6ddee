package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/reporttest"
	"github.com/lockbench/lockbench/reports/terminal"
)

func TestHostileTextStaysText(t *testing.T) {
	page := render(t, reporttest.HostileRun(t))
	for _, bad := range []string{"<img", "<svg onload", "\x00", "\x1b", "\u202E", "\u2028", "\xff",
		"<!--<script>", "</style><script>window"} {
		if i := strings.Index(page, bad); i >= 0 {
			t.Errorf("the page contains %q: …%s…", bad, page[max(0, i-80):min(len(page), i+80)])
		}
	}
	if n := strings.Count(page, "<script"); n != 4 {
		t.Errorf("the page has %d scripts, want its own 4", n)
	}
	var b bytes.Buffer
	v := reporttest.View(t, reporttest.HostileRun(t))
	if err := terminal.Summary(&b, v, terminal.Look{}, terminal.Extra{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x00\x1b\u202E\u2028") {
		t.Errorf("the terminal is sent control characters: %q", b.String())
	}
}

func TestHostileTextInABrowser(t *testing.T) {
	b := reporttest.NewBrowser(t)
	open(b, render(t, reporttest.HostileRun(t)))
	press(b, "0")
	press(b, "n")
	if got := reporttest.Eval[string](b, `typeof window.pwned`); got != "undefined" {
		t.Error("text of the history was executed")
	}
	if n := reporttest.Eval[int](b,
		`document.querySelectorAll('img, [onerror], [onload], [onmouseover]').length`); n != 0 {
		t.Errorf("text of the history became %d elements", n)
	}
	b.Clean()
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"SETNX lock:0", "SETNX lock:0"}, {"a\x00b", `a\x00b`}, {"a\nb\tc", `a\nb\tc`},
		{"\u202Eabc", `\u202eabc`}, {"\xff", `\xff`},
		{"é 锁", "é 锁"}, {"\uFFFD", "\uFFFD"}, {"\u2028", `\u2028`}, {"\x7f\u0085", `\x7f\u0085`},
	} {
		if got := page.Clean(c.in, 0); got != c.want {
			t.Errorf("clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := page.Clean("锁锁锁锁", 2); got != "锁锁…" {
		t.Errorf("shortened to %q", got)
	}
}
