// Package compare writes the page of a comparison.
package compare

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/lockbench/lockbench/internal/compare"
	"github.com/lockbench/lockbench/reports/page"
)

//go:embed page.html.tmpl
var compareSource string

var comparePage = template.Must(template.New("compare").Funcs(template.FuncMap{
	"side":  side,
	"lines": func(p compare.Pair) []string { return p.Lines() },
	"clean": func(s string) string { return page.Clean(s, 2000) },
}).Parse(compareSource))

// WriteHTML writes a comparison as one page that needs nothing else. A and b are where the pages of
// its sides are, as seen from this one; "": they have none.
func WriteHTML(w io.Writer, c *compare.Comparison, a, b string) error {
	return comparePage.Execute(w, struct {
		*compare.Comparison
		PageA, PageB, CSP string
		CSS               template.CSS
	}{c, a, b, page.PolicyFor(), template.CSS(page.CSS)})
}

// side is what one side found of a pair.
func side(which string, p compare.Pair) string {
	if which == "A" {
		return p.Side(func(l compare.PropertyPair) compare.Tally { return l.A })
	}
	return p.Side(func(l compare.PropertyPair) compare.Tally { return l.B })
}

// WriteMarkdown writes a comparison for a pull request or a job summary. Foreign text stands in
// code.
func WriteMarkdown(w io.Writer, c *compare.Comparison) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", strings.TrimSuffix(c.Sentence(), "."))
	fmt.Fprintf(&b, "A is %s, B is %s.\n\n", page.Code(c.A.Name, 120), page.Code(c.B.Name, 120))
	for i, line := range c.Caveats() {
		if i == 20 {
			fmt.Fprintf(&b, "- and %d more\n", len(c.Caveats())-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", page.Code(line, 300))
	}
	b.WriteString("\n| | A | B | change |\n|---|---|---|---|\n")
	rows := 0
	for _, p := range c.Pairs {
		if b.Len() > page.SummaryLimit/2 {
			break
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", page.Cell(p.Name, 120), side("A", p), side("B", p),
			page.Cell(strings.Join(p.Lines(), "; "), 300))
		rows++
	}
	if rows < len(c.Pairs) {
		fmt.Fprintf(&b, "\n%d more are left out here.\n", len(c.Pairs)-rows)
	}
	costTable(&b, c)
	_, err := io.WriteString(w, b.String())
	return err
}

// costTable has the metrics of each pair, and of all together.
func costTable(b *strings.Builder, c *compare.Comparison) {
	if !c.Measured() {
		return
	}
	names, units := compare.MetricNames()
	b.WriteString("\n| A → B |")
	for i, n := range names {
		fmt.Fprintf(b, " %s, %s |", n, units[i])
	}
	fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("---|", len(names)))
	line := func(name string, ms []compare.Metric) {
		if b.Len() > page.SummaryLimit {
			return
		}
		fmt.Fprintf(b, "| %s |", name)
		for _, n := range names {
			fmt.Fprintf(b, " %s |", metricText(ms, n))
		}
		b.WriteString("\n")
	}
	if len(c.Overall) > 0 {
		line("**all together**", c.Overall)
	}
	for _, p := range c.Pairs {
		if len(p.Metrics) > 0 {
			line(page.Cell(p.Name, 120), p.Metrics)
		}
	}
	b.WriteString("\nOnly what is marked *better* or *worse* is more than noise.\n")
}

func metricText(ms []compare.Metric, name string) string {
	for _, m := range ms {
		if m.Name == name {
			return strings.NewReplacer(" "+compare.Worse, " **worse**", " "+compare.Better,
				" **better**").Replace(m.Text())
		}
	}
	return ""
}
