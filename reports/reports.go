// Package reports turns the files of a run into pages, plots and words that a design review can
// read. It judges nothing: the checker decides what a history means, and a report shows the verdict
// with the record that supports it.
//
// A record is foreign text. Reports escape lock names, error texts, Redis arguments and replies
// everywhere. They spell out invisible characters (control characters, marks that turn the
// direction of text); see page.Clean.
package reports

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/figure"
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
