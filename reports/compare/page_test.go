package compare

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/compare"
	"github.com/lockbench/lockbench/reports/reporttest"
)

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
	reporttest.Pinned(t, "compare.md", md.String())
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
