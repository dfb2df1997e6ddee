package gate

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/reports/page"
)

//go:embed page.html.tmpl
var pageHTML string

var pageTemplate = template.Must(template.New("gate").Parse(pageHTML))

// row is an entry of a gate.
type row struct {
	Name, Title, Expect, Found, Result, State, Claim, Story, Link, Reproduce, Then string
}

// WritePage writes gate.html: one self-contained file that links to the reports in its directory.
func WritePage(w io.Writer, g *gate.Result) error {
	reports := map[string]string{}
	for _, e := range g.Entries {
		if e.Shown != nil {
			reports[e.Shown.Dir] = e.Shown.Report
		}
	}
	body, _, err := Page(g, func(dir string) string { return reports[dir] })
	if err == nil {
		_, err = w.Write(body)
	}
	return err
}

var states = map[gate.Outcome]string{gate.Passed: "valid",
	gate.Allowed: "valid", gate.Failed: "violated", gate.Broken: "violated"}

// Page returns a gate's result as one page that links to its parent pages, and the content security
// policy of the page.
func Page(g *gate.Result, link page.Link, above ...page.Place) (body []byte, policy string,
	err error) {
	p := struct {
		Result, State, Meta, File string
		Accepts                   string
		Rows                      []row
		Above                     []page.Place
		CSS                       template.CSS
	}{Result: page.Clean(string(g.Result), 20), State: stateOf(g.Result, g.Accepts() > 0),
		CSS:  template.CSS(page.CSS),
		File: page.Clean(g.Gate.File, 80), Above: above}
	if n := g.Accepts(); n > 0 {
		p.Accepts = units.Count(n, "entry") + " passed with a defect that the file accepts."
	}
	p.Meta = fmt.Sprintf("%s · took %s · exit code %d", units.Count(len(g.Entries), "entry"),
		units.Span(g.Took), g.Exit)
	for _, e := range g.InOrder() {
		x := row{Name: page.Clean(e.Name, 80), Title: page.Clean(e.Title, 120),
			Expect: page.Clean(fmt.Sprint(e.Expect), 60), Found: page.Clean(e.Found, 60),
			Result: page.Clean(string(e.Result), 20), State: stateOf(e.Result, len(e.Accepted) > 0),
			Claim: page.Clean(e.Claim, 600)}
		if len(e.Accepted) > 0 {
			x.Result = "passed with a defect: " + strings.Join(e.Accepted, ", ")
		}
		if e.Shown != nil {
			x.Story, x.Reproduce, x.Link = page.Clean(e.Shown.Explanation, 500),
				page.Clean(e.Shown.Reproduce, 400), link(e.Shown.Dir)
			x.Then = page.Clean(e.Shown.Then, 400)
		}
		p.Rows = append(p.Rows, x)
	}
	var out bytes.Buffer
	err = pageTemplate.Execute(&out, p)
	return out.Bytes(), page.PolicyFor(), err
}

func stateOf(o gate.Outcome, accepts bool) string {
	if s := states[o]; s != "" && !(o == gate.Passed && accepts) {
		return s
	}
	return "unknown"
}
