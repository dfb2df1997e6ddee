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
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/page"
)

//go:embed page.html.tmpl
var pageHTML string

var pageTemplate = template.Must(template.New("gate").Funcs(template.FuncMap{
	"clean": func(what any, limit int) string { return page.Clean(fmt.Sprint(what), limit) },
	"count": units.Count, "join": strings.Join, "span": units.Span[history.Duration],
	"state": stateOf,
}).Parse(pageHTML))

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
	var out bytes.Buffer
	err = pageTemplate.Execute(&out, struct {
		*gate.Result
		Link  page.Link
		Above []page.Place
		CSS   template.CSS
	}{g, link, above, template.CSS(page.CSS)})
	return out.Bytes(), page.PolicyFor(), err
}

// stateOf returns the class of an outcome in the style sheet.
func stateOf(o gate.Outcome, accepts bool) string {
	if s := states[o]; s != "" && !(o == gate.Passed && accepts) {
		return s
	}
	return "unknown"
}
