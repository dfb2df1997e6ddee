package reports

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/matrix"
)

// someMatrix is a campaign that never ran: four locks under four faults. Words is what each
// counterexample says.
func someMatrix(t testing.TB, words string) *matrix.Matrix {
	t.Helper()
	o := matrix.Options{Rows: []string{"setnx", "getset", "token-lua constant",
		"redlock per attempt"}, Columns: []string{"none", "crash", "pause", "failover"},
		Environment: "process",
		TTL:         500 * time.Millisecond, Seed: 1}
	found := map[string]string{"setnx|crash": "D", "getset|pause": "SLO", "getset|failover": "SLOR",
		"token-lua constant|pause": "S", "token-lua constant|failover": "R",
		"redlock per attempt|pause": "S"}
	var rs []matrix.Result
	for _, row := range o.Rows {
		for _, column := range o.Columns {
			r := matrix.Result{Format: batch.Format, Row: row, Column: column, Nemesis: column,
				Attempt: 1, Dir: "runs/" + strings.ReplaceAll(row, " ", "-") + "/" + column}
			r.Finding = batch.Finding{Verdict: checker.Valid, Letters: map[string]checker.Result{},
				Classes: map[string]string{}, Words: map[string]string{}, Because: map[string]string{}}
			for _, l := range batch.Letters {
				r.Letters[l] = checker.Valid
				if strings.Contains(found[row+"|"+column], l) {
					r.Letters[l], r.Classes[l], r.Words[l] = checker.Violated, checker.LeaseOverrun, words
				}
			}
			if row == "redlock per attempt" && column == "failover" {
				r.Letters["S"], r.Because["S"] = checker.Unknown, "the machine stalled"
			}
			rs = append(rs, r)
		}
	}
	m, err := matrix.NewMatrix(o, rs)
	if err != nil {
		t.Fatal(err)
	}
	m.Versions = map[string]string{"redis": "7.0.15"}
	for _, row := range o.Rows {
		m.Costs = append(m.Costs, matrix.RowCost{Row: row, Clients: 4, Hold: history.Duration(5e6),
			AfterCrash: history.Duration(5e8),
			Cost: batch.Cost{Grants: 100, AcquireP50: 7e6, AcquireP99: 9e7, Throughput: 110,
				Commands: 5.25}})
	}
	return m
}

// everywhere links every run.
func everywhere(dir string) string { return dir + "/report.html" }

func matrixText(t testing.TB, m *matrix.Matrix, linked func(string) string) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteMatrix(&b, m, linked); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMatrixPageSaysWhatADesignReviewAsks(t *testing.T) {
	page := matrixText(t, someMatrix(t, "Client 0 stayed."), everywhere)
	last := -1
	for _, want := range []string{
		"No lock survives everything that was tried. 2 of 3 faults, the most, are survived by setnx and token-lua constant.",
		// the matrix and its legend
		`href="runs/setnx/crash/report.html"`, "two clients were inside at once",
		"Longest pause of a client", "must not happen inside", "shorter than the lease", // needs
		// costs and their plot
		"commands per hand-over", "5.2", "7.0 ms", "90 ms", "110/s", "never", "<svg",
		"Bare SETNX: if the service dies", "confirmed", // claims
		"Redis", "7.0.15",
	} {
		at := strings.Index(page[last+1:], want)
		if at < 0 {
			at = strings.Index(page, want)
			t.Fatalf("%q is missing after byte %d (it is at %d)", want, last, at)
		}
		last += 1 + at
	}
	if strings.Contains(matrixText(t, someMatrix(t, ""), func(string) string { return "" }),
		`href="runs`) {
		t.Error("a page links to reports that are not there")
	}
}

func TestWitnessDirsAreThereOnce(t *testing.T) {
	dirs := WitnessDirs(someMatrix(t, ""))
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
	m := someMatrix(t, "")
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
	b := newBrowser(t)
	b.load(matrixText(t, someMatrix(t, "Client 0 stayed."), everywhere))
	visible := func(what string) int {
		return eval[int](b,
			`[...document.querySelectorAll('`+what+`')].filter(e => e.offsetParent !== null).length`)
	}
	if n := visible("#cells tbody tr"); n != 4 {
		t.Fatalf("%d locks are shown", n)
	}
	b.do(clickOn(`[data-fault="1"]`), clickOn(`#survivors`)) // crash
	if rows, cols := visible("#cells tbody tr"), visible("#cells thead th[data-c]"); rows != 3 ||
		cols != 1 {
		t.Errorf("survivors of a crash: %d locks and %d faults are shown", rows, cols)
	}
	if got := eval[string](b, `told.textContent`); got != "3 of 4 locks; 3 survive crash" {
		t.Errorf("it says %q", got)
	}
	b.do(clickOn("#reset"))
	b.do(typeInto("#find", "getset"))
	if n := visible("#cells tbody tr"); n != 1 {
		t.Errorf("the search shows %d locks", n)
	}
	b.do(clickOn("#reset"))
	eval[bool](b, `document.querySelector('td[data-r="0"][data-c="0"]').focus() === undefined`)
	b.keys("ArrowDown", "ArrowRight", "ArrowRight")
	if got := eval[string](b, `document.getElementById('detail').textContent`); !strings.Contains(got,
		"getset under pause") || !strings.Contains(got, "Client 0 stayed.") {
		t.Errorf("three keys lead to %q", got)
	}
	if got := eval[string](b, `document.activeElement.querySelector('a').getAttribute('href')`); got !=
		"runs/getset/pause/report.html" {
		t.Errorf("the letter leads to %q", got)
	}
	b.do(clickOn(`[data-outcome="refuted"]`))
	if n := eval[int](b,
		`[...document.querySelectorAll('.claims tbody tr')].filter(e => e.offsetParent !== null && e.dataset.outcome !== 'refuted').length`); n != 0 {
		t.Errorf("%d other claims are shown", n)
	}
	b.clean()
}

func TestHostileTextInAMatrixStaysText(t *testing.T) {
	m := someMatrix(t, strings.Join(hostile, " "))
	m.Environment, m.Versions = hostile[0], map[string]string{hostile[1]: hostile[2]}
	for i := range m.Rows {
		m.Rows[i].Impl = hostile[i%len(hostile)]
	}
	for i := range m.Cells {
		m.Cells[i].Impossible = strings.Repeat(hostile[i%len(hostile)], b2i(i%5 == 0))
	}
	page := matrixText(t, m, everywhere)
	for _, bad := range []string{"<img", "<svg onload", "\x00", "\x1b", "\u202E", "\u2028", "\xff",
		"<!--<script>", "</style><script>window"} {
		if i := strings.Index(page, bad); i >= 0 {
			t.Errorf("the page contains %q: …%s…", bad, page[max(0, i-80):min(len(page), i+80)])
		}
	}
	b := newBrowser(t)
	b.load(page)
	eval[bool](b, `[...document.querySelectorAll('td.cell')].forEach(e => e.click()) === undefined`)
	if got := eval[string](b, `typeof window.pwned`); got != "undefined" {
		t.Error("text of a run was executed")
	}
	if n := eval[int](b,
		`document.querySelectorAll('img, [onerror], [onload], [onmouseover]').length`); n != 0 {
		t.Errorf("text of a run became %d elements", n)
	}
	b.clean()
}
