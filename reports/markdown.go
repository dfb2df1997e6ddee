package reports

import (
	"bufio"
	"embed"
	"errors"
	"io"
	"strings"
	"text/template"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/hint"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

//go:embed *.md.tmpl
var markdownFiles embed.FS

var markdown = template.Must(template.New("").Funcs(template.FuncMap{
	"literal": page.Literal, "clean": page.Clean, "fenced": page.Fenced, "cell": page.Cell,
	"reply": view.ReplyOf, "stamp": units.Stamp, "upper": units.Upper, "trim": strings.TrimSpace,
	"join": strings.Join,
}).ParseFS(markdownFiles, "*"))

// writeMarkdown writes a document by the name of its template.
func writeMarkdown(w io.Writer, name string, data any) error {
	b := bufio.NewWriter(w)
	return errors.Join(markdown.ExecuteTemplate(b, name, data), b.Flush())
}

// WriteMarkdown writes the report of a run as Markdown that fits in an issue or a pull request: the
// answer, the judged properties, the evidence, each violation in words, and the command that
// repeats the run.
func WriteMarkdown(w io.Writer, v *view.View) error {
	rows, stories := v.Properties(), v.Violations
	r, err := remedy(v)
	if err != nil {
		return err
	}
	k, err := known(v)
	if err != nil {
		return err
	}
	return writeMarkdown(w, "report.md.tmpl", struct {
		*view.View
		Whose      string
		Remedy     *hint.Remedy
		Known      *knownSection
		Properties []view.PropertyRow
		Stories    []*view.Violation
	}{v, view.Whose(v), r, k, rows[:min(len(rows), maxRows)],
		stories[:min(len(stories), maxStories)]})
}
