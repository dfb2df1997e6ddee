package compare

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/compare"
	"github.com/lockbench/lockbench/internal/dev/golden"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/reports/reporttest"
)

// TestCostsHaveBars wants bars of what a matrix measured several times, and none of single runs or
// of the cells beside them.
func TestCostsHaveBars(t *testing.T) {
	side := func(ms ...history.Duration) *compare.Side {
		s := &compare.Side{Name: "a", Kind: "matrix", Items: []compare.Item{{Name: "setnx, costs"},
			{Name: "setnx, pause", Trials: []compare.Trial{{Finding: batch.Finding{
				Properties: map[string]checker.Result{"S": checker.Valid}}}}}}}
		for _, m := range ms {
			s.Items[0].Trials = append(s.Items[0].Trials, compare.Trial{Cost: batch.Cost{Grants: 3,
				AcquireP50: m * 1e6}})
		}
		return s
	}
	for _, x := range []struct {
		b     []history.Duration
		plots int
		text  string
	}{{[]history.Duration{2}, 0, "setnx, costs"},
		{[]history.Duration{4, 9, 5}, 1, ">5.0 ms, n = 3<"}} {
		c, err := compare.Compare(side(7), side(x.b...))
		if err != nil || len(c.Judged()) != 1 {
			t.Fatalf("%v: %+v", err, c)
		}
		var page bytes.Buffer
		if err := WriteHTML(&page, c, "", ""); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(page.String(), "<svg"); got != x.plots ||
			!strings.Contains(page.String(), x.text) {
			t.Errorf("%v: %d plots of %d\n%s", x.b, got, x.plots, page.String())
		}
	}
}

// TestComparisonPages pins the Markdown and wants a page from which no foreign word gets out.
func TestComparisonPages(t *testing.T) {
	side := func(name string, found checker.Result) *compare.Side {
		return &compare.Side{Name: name, Kind: "run", Environment: "sim", Settings: map[string]string{
			"ttl": name}, Items: []compare.Item{{Name: reporttest.Nasty, Trials: []compare.Trial{{
			Finding: batch.Finding{Verdict: found, Properties: map[string]checker.Result{"S": found},
				Explanations: map[string]string{"S": reporttest.Nasty}},
			Cost: batch.Cost{Grants: 3, AcquireP50: 2e6, AcquireP99: 9e6, Throughput: 10, Commands: 4},
		}}}}}
	}
	c, err := compare.Compare(side("a", checker.Valid), side(reporttest.Nasty, checker.Violated))
	if err != nil {
		t.Fatal(err)
	}
	var md, page bytes.Buffer
	if err := WriteMarkdown(&md, c); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "compare.md", md.String())
	if err := WriteHTML(&page, c, "../a%20b/report.html", ""); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "<script") || strings.Contains(page.String(), "http://") ||
		!strings.Contains(page.String(), "S is violated now") ||
		!strings.Contains(page.String(), `<a href="../a%20b/report.html">a</a>`) ||
		strings.Count(page.String(), "<a href") != 1 {
		t.Error(page.String())
	}
	b := reporttest.NewBrowser(t)
	b.Do(reporttest.Width(400))
	b.Load(page.String())
	if wide := reporttest.Eval[int](b, `document.documentElement.scrollWidth`); wide > 400 {
		t.Errorf("the page is %d pixels wide", wide)
	}
	b.Clean()
}
