// Package watch writes the page of a watch.
package watch

import (
	_ "embed"
	"html/template"
	"io"
	"time"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/run/watch"
	"github.com/lockbench/lockbench/reports/page"
)

//go:embed page.html.tmpl
var source string

var watchPage = template.Must(template.New("watch").Funcs(template.FuncMap{
	"clean": func(s string) string { return page.Clean(s, 2000) },
	"span":  func(us int64) string { return units.Span(us * 1000) },
	"stamp": func(us int64) string {
		return time.UnixMicro(us).UTC().Format("2006-01-02 15:04:05.000000")
	},
	"percent": func(part float64) int { return int(100*part + .5) },
}).Parse(source))

// WriteHTML writes the result of a watch as one self-contained page. Of and keys are the address
// that was watched and the pattern.
func WriteHTML(w io.Writer, s *watch.Summary, of, keys string) error {
	return watchPage.Execute(w, struct {
		*watch.Summary
		Of, Pattern, CSP string
		CSS              template.CSS
	}{s, of, keys, page.PolicyFor(), template.CSS(page.CSS)})
}
