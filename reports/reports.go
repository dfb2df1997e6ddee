// Package reports turns the files of a run into pages, plots and words that a design review can
// read. It judges nothing: the checker decides what a history means, and a report shows the verdict
// with the record that supports it.
//
// A record is foreign text. Reports escape lock names, error texts, Redis arguments and replies
// everywhere. They spell out invisible characters (control characters, marks that turn the
// direction of text); see page.Clean.
package reports

import (
	"bufio"
	"embed"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/figure"
	"github.com/lockbench/lockbench/reports/hint"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// Save writes the report, its Markdown form and the plots into the run directory, and returns the
// path of the report. If it returns an error, it has written as much as it could. Unless v.Above is
// set, the report links to the parent pages that it finds.
func Save(v *view.View) (string, error) {
	if v.Above == nil {
		v.Above = view.ParentPages(v.Dir)
	}
	err := errors.Join(figure.Write(filepath.Join(v.Dir, store.Plots), v),
		store.Write(v.Dir, store.Markdown, func(w *os.File) error { return WriteMarkdown(w, v) }),
		store.Write(v.Dir, store.Report, func(w *os.File) error { return WriteHTML(w, v) }))
	return filepath.Join(v.Dir, store.Report), err
}

//go:embed *.md.tmpl
var markdownFiles embed.FS

var markdown = template.Must(template.New("").Funcs(template.FuncMap{
	"literal": page.Literal, "clean": page.Clean, "fenced": page.Fenced, "cell": page.Cell,
	"reply": view.ReplyOf, "brief": units.ShortOwners, "stamp": units.Stamp, "upper": units.Upper,
	"trim": strings.TrimSpace, "join": strings.Join,
}).ParseFS(markdownFiles, "*"))

func writeMarkdown(w io.Writer, name string, data any) error {
	b := bufio.NewWriter(w)
	return errors.Join(markdown.ExecuteTemplate(b, name, data), b.Flush())
}

// WriteMarkdown writes the report of a run as Markdown that fits in an issue or a pull request: the
// answer, the judged properties, the evidence, each violation in words, and the command that
// repeats the run.
func WriteMarkdown(w io.Writer, v *view.View) error {
	rows, stories := v.Properties(), v.Violations
	r, err := Remedy(v)
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
