package reports

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/figure"
	"github.com/lockbench/lockbench/reports/view"
)

// Save writes the report, the same in Markdown, and the plots into the run directory, and returns
// the path of the report. With an error it has written as much as it could. The report leads to the
// pages beside which the run lies, unless it is said what is above it.
func Save(v *view.View) (string, error) {
	if v.Above == nil {
		v.Above = view.Beside(v.Dir)
	}
	err := errors.Join(figure.Write(filepath.Join(v.Dir, store.Plots), v),
		store.Write(v.Dir, store.Markdown, func(w *os.File) error { return WriteMarkdown(w, v) }),
		store.Write(v.Dir, store.Report, func(w *os.File) error { return WriteHTML(w, v) }))
	return filepath.Join(v.Dir, store.Report), err
}
