package gate

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"github.com/lockbench/lockbench/internal/gate"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

//go:embed page.html.tmpl
var pageHTML string

var pageTemplate = template.Must(template.New("gate").Parse(pageHTML))

// row is an entry of a gate.
type row struct {
	Name, Title, Expect, Found, Result, State, Claim, Story, Link, Reproduce string
}

var states = map[gate.Outcome]string{gate.Passed: "valid",
	gate.Allowed: "valid", gate.Failed: "violated", gate.Broken: "violated"}

// Page is a gate's result as one page, and the policy that it asks a browser to enforce.
func Page(g *gate.Result, link page.Link) (body []byte, policy string, err error) {
	p := struct {
		Result, State, Meta string
		Rows                []row
		CSS                 template.CSS
	}{Result: page.Clean(string(g.Result), 20), State: stateOf(g.Result), CSS: template.CSS(page.CSS)}
	p.Meta = fmt.Sprintf("%s · took %s · exit code %d", units.Count(len(g.Entries), "entry"),
		units.Span(g.Took), g.Exit)
	for _, e := range g.Entries {
		x := row{Name: page.Clean(e.Name, 80), Title: page.Clean(e.Title, 120),
			Expect: page.Clean(fmt.Sprint(e.Expect), 60), Found: page.Clean(e.Found, 60),
			Result: page.Clean(string(e.Result), 20), State: stateOf(e.Result), Claim: page.Clean(e.Claim,
				300)}
		if e.Shown != nil {
			x.Story, x.Reproduce, x.Link = page.Clean(e.Shown.Explanation, 500),
				page.Clean(e.Shown.Reproduce,
					400),
				link(e.Shown.Dir)
		}
		p.Rows = append(p.Rows, x)
	}
	var out bytes.Buffer
	err = pageTemplate.Execute(&out, p)
	return out.Bytes(), page.PolicyFor(), err
}

func stateOf(o gate.Outcome) string {
	if s := states[o]; s != "" {
		return s
	}
	return "unknown"
}
