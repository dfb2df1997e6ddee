// Package compare writes the page of a comparison.
package compare

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/campaign/compare"
	"github.com/lockbench/lockbench/reports/figure"
	"github.com/lockbench/lockbench/reports/page"
)

//go:embed page.html.tmpl
var compareSource string

var comparePage = template.Must(template.New("compare").Funcs(template.FuncMap{
	"clean": func(s string) string { return page.Clean(s, 2000) },
}).Parse(compareSource))

// WriteHTML writes a comparison as one self-contained page. A and b are relative links to the pages
// of its sides; "" means that a side has no page. Above are the pages that lead to this one.
func WriteHTML(w io.Writer, c *compare.Comparison, a, b string, above ...page.Place) error {
	figs, err := figure.Show(figures(c))
	if err != nil {
		return err
	}
	return comparePage.Execute(w, struct {
		*compare.Comparison
		PageA, PageB, CSP string
		CSS               template.CSS
		Figures           []figure.Shown
		Above             []page.Place
	}{c, a, b, page.PolicyFor(), template.CSS(page.CSS), figs, above})
}

// maxBars bounds the pairs of a plot.
const maxBars = 24

// figures returns a plot of each metric, in which the bars of the two sides of a pair are
// neighbours. If a matrix measured the costs of its locks, the plots show those costs. If no pair
// was run several times, it returns no plot.
func figures(c *compare.Comparison) (figs []*figure.Figure) {
	pairs := slices.DeleteFunc(slices.Clone(c.Pairs), func(p compare.Pair) bool {
		return len(p.Properties) > 0
	})
	if len(pairs) == 0 {
		pairs = c.Pairs
	}
	for _, heading := range compare.Headings() {
		name, unit, _ := strings.Cut(heading, ", ")
		var bars []figure.Bar
		several := false
		for _, p := range pairs[:min(len(pairs), maxBars)] {
			at := slices.IndexFunc(p.Metrics, func(m compare.Metric) bool { return m.Name == name })
			if at < 0 {
				continue
			}
			m := p.Metrics[at]
			several = several || m.SpreadA.Runs > 1 || m.SpreadB.Runs > 1
			bars = append(bars, bar(p.Name+" A", m.A, m.SpreadA), bar("B", m.B, m.SpreadB))
		}
		if several {
			figs = append(figs, figure.Bars(name, unit, bars))
		}
	}
	return figs
}

func bar(name string, mid float64, s *compare.Spread) figure.Bar {
	return figure.Bar{Name: page.Clean(name, 44), Least: s.Least, Mid: mid, Most: s.Most, N: s.Runs}
}

// WriteMarkdown writes a comparison for a pull request or a job summary. It writes foreign text as
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
	judged := c.Judged()
	for _, p := range judged {
		if b.Len() > page.SummaryLimit/2 {
			break
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", page.Cell(p.Name, 120), p.Side("A"), p.Side("B"),
			page.Cell(strings.Join(p.Lines(), "; "), 300))
		rows++
	}
	if rows < len(judged) {
		fmt.Fprintf(&b, "\n%d more are left out here.\n", len(judged)-rows)
	}
	costTable(&b, c)
	_, err := io.WriteString(w, b.String())
	return err
}

// costTable writes the metrics of each pair, and of all together.
func costTable(b *strings.Builder, c *compare.Comparison) {
	if !c.Measured() {
		return
	}
	headings := compare.Headings()
	fmt.Fprintf(b, "\n| A → B | %s |\n|---|%s\n", strings.Join(headings, " | "),
		strings.Repeat("---|", len(headings)))
	line := func(name string, ms []compare.Metric) {
		if b.Len() <= page.SummaryLimit {
			fmt.Fprintf(b, "| %s | %s |\n", name, bold.Replace(strings.Join(compare.Texts(ms), " | ")))
		}
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

// bold marks the changes of metrics.
var bold = strings.NewReplacer(" "+compare.Worse, " **worse**", " "+compare.Better, " **better**")
