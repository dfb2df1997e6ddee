package matrix

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/reports/reporttest"
)

// everywhere links every run.
func everywhere(dir string) string { return dir + "/report.html" }

func matrixText(t testing.TB, m *matrix.Matrix, linked func(string) string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, m, linked); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMatrixPageSaysWhatADesignReviewAsks(t *testing.T) {
	page := matrixText(t, reporttest.Matrix(t, "Client 0 stayed."), everywhere)
	last := -1
	for _, want := range []string{
		"No lock kept its promises under every fault: which one is safe depends on the faults that can",
		// the matrix and its legend
		`href="runs/setnx/crash/report.html"`, "two clients were inside at once",
		"Longest pause of a client", "must not happen inside", "shorter than the lease", // needs
		// costs and their plot
		"commands per hand-over", "5.2", "7.0 ms", "90 ms", "110/s", "never", "<svg",
		"Redis", "7.0.15",
	} {
		at := strings.Index(page[last+1:], want)
		if at < 0 {
			at = strings.Index(page, want)
			t.Fatalf("%q is missing after byte %d (it is at %d)", want, last, at)
		}
		last += 1 + at
	}
	if strings.Contains(matrixText(t, reporttest.Matrix(t, ""), func(string) string { return "" }),
		`href="runs`) {
		t.Error("a page links to reports that are not there")
	}
}

func TestWitnessDirsAreThereOnce(t *testing.T) {
	dirs := WitnessDirs(reporttest.Matrix(t, ""))
	seen := map[string]bool{}
	for _, d := range dirs {
		if seen[d] || d == "" {
			t.Errorf("%q is there twice, or empty", d)
		}
		seen[d] = true
	}
	if len(dirs) != 16 {
		t.Errorf("%d directories: %q", len(dirs), dirs)
	}
}

func TestNeedsFollowTheLetters(t *testing.T) {
	m := reporttest.Matrix(t, "")
	for _, c := range []struct{ row, head, want string }{
		{"setnx", "A client’s death", "must not happen inside"}, {"setnx", "Longest pause of a client",
			"any"},
		// R alone is a leftover
		{"getset", "Failover", "must not lose a write"}, {"token-lua constant", "Failover",
			"may lose writes"},
		{"redlock per attempt", "Failover", "not known"},
	} {
		got := ""
		for _, r := range needRows(m) {
			for i, head := range needHeads(m) {
				if r.Name == c.row && head == c.head {
					got = r.Needs[i].Text
				}
			}
		}
		if got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.row, c.head, got, c.want)
		}
	}
}

func TestMatrixPageInABrowser(t *testing.T) {
	b := reporttest.NewBrowser(t)
	b.Load(matrixText(t, reporttest.Matrix(t, "Client 0 stayed."), everywhere))
	visible := func(what string) int {
		return reporttest.Eval[int](b,
			`[...document.querySelectorAll('`+what+`')].filter(e => e.offsetParent !== null).length`)
	}
	if n := visible("#cells tbody tr"); n != 4 {
		t.Fatalf("%d locks are shown", n)
	}
	b.Do(reporttest.ClickOn(`[data-fault="1"]`), reporttest.ClickOn(`#survivors`)) // crash
	if rows, cols := visible("#cells tbody tr"), visible("#cells thead th[data-c]"); rows != 3 ||
		cols != 1 {
		t.Errorf("survivors of a crash: %d locks and %d faults are shown", rows, cols)
	}
	if got := reporttest.Eval[string](b, `told.textContent`); got != "3 of 4 locks; 3 survive crash" {
		t.Errorf("it says %q", got)
	}
	b.Do(reporttest.ClickOn("#reset"))
	b.Do(reporttest.TypeInto("#find", "getset"))
	if n := visible("#cells tbody tr"); n != 1 {
		t.Errorf("the search shows %d locks", n)
	}
	b.Do(reporttest.ClickOn("#reset"))
	reporttest.Eval[bool](b,
		`document.querySelector('td[data-r="0"][data-c="0"]').focus() === undefined`)
	b.Keys("ArrowDown", "ArrowRight", "ArrowRight")
	if got := reporttest.Eval[string](b, `document.getElementById('detail').textContent`); !strings.
		Contains(got,
			"getset under pause") || !strings.Contains(got, "Client 0 stayed.") {
		t.Errorf("three keys lead to %q", got)
	}
	if got := reporttest.Eval[string](b,
		`document.activeElement.querySelector('a').getAttribute('href')`); got !=
		"runs/getset/pause/report.html" {
		t.Errorf("the letter leads to %q", got)
	}
	b.Clean()
}

func TestHostileTextInAMatrixStaysText(t *testing.T) {
	m := reporttest.Matrix(t, strings.Join(reporttest.Hostile, " "))
	m.Environment, m.Versions = reporttest.Hostile[0], map[string]string{
		reporttest.Hostile[1]: reporttest.Hostile[2]}
	for i := range m.Rows {
		m.Rows[i].Impl = reporttest.Hostile[i%len(reporttest.Hostile)]
	}
	for i := range m.Cells {
		m.Cells[i].Impossible = strings.Repeat(reporttest.Hostile[i%len(reporttest.Hostile)],
			map[bool]int{true: 1}[i%5 == 0])
	}
	page := matrixText(t, m, everywhere)
	for _, bad := range []string{"<img", "<svg onload", "\x00", "\x1b", "\u202E", "\u2028", "\xff",
		"<!--<script>", "</style><script>window"} {
		if i := strings.Index(page, bad); i >= 0 {
			t.Errorf("the page contains %q: …%s…", bad, page[max(0, i-80):min(len(page), i+80)])
		}
	}
	b := reporttest.NewBrowser(t)
	b.Load(page)
	reporttest.Eval[bool](b,
		`[...document.querySelectorAll('td.cell')].forEach(e => e.click()) === undefined`)
	if got := reporttest.Eval[string](b, `typeof window.pwned`); got != "undefined" {
		t.Error("text of a run was executed")
	}
	if n := reporttest.Eval[int](b,
		`document.querySelectorAll('img, [onerror], [onload], [onmouseover]').length`); n != 0 {
		t.Errorf("text of a run became %d elements", n)
	}
	b.Clean()
}
