package matrix

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// PageFile is the page of a matrix in its directory.
const PageFile = store.MatrixPage

// maxReports bounds the reports that a matrix leaves behind: about 150 kB each. The cells beyond
// have no link; `lockbench report` makes theirs.
const maxReports = 1500

// Save writes matrix.json and its pages into the directory of a matrix. The recoveries of the
// matrix are measured before from the runs that are there.
func Save(dir string, m *matrix.Matrix) error {
	m.MeasureRecoveries(dir)
	return errors.Join(
		store.Write(dir, matrix.File, func(w *os.File) error { return m.Write(w) }),
		store.Write(dir, "matrix.md", func(w *os.File) error { return m.Markdown(w) }),
		store.Write(dir, PageFile, func(w *os.File) error {
			return Write(w, m, Links(os.DirFS(dir), store.Report))
		}),
	)
}

// SaveReports writes the report of each run that a cell of the matrix links to. Tell is called by
// one goroutine at a time. When ctx ends, no further report is begun.
func SaveReports(ctx context.Context, root string, m *matrix.Matrix,
	tell func(done, all int, what string)) error {
	dirs := WitnessDirs(m)
	dirs = dirs[:min(len(dirs), maxReports)]
	var mu sync.Mutex
	var failed error
	done := 0
	pool.Each(ctx, runtime.NumCPU(), slices.Values(dirs), func(dir string) {
		err := saveReport(root, filepath.Join(root, dir))
		mu.Lock()
		defer mu.Unlock()
		if done++; err != nil && failed == nil {
			failed = fmt.Errorf("no report of %s: %w", dir, err)
		}
		tell(done, len(dirs), "reports")
	})
	return failed
}

// saveReport writes the report of one run, unless it is there already. A run that was not recorded
// has none.
func saveReport(root, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, store.Report)); err == nil {
		return nil
	}
	r, err := store.Load(dir)
	if r == nil && errors.Is(err, os.ErrNotExist) {
		return nil
	} else if r == nil {
		return err
	}
	view.Redraw(r)
	v, err := view.New(r)
	if err != nil {
		return err
	}
	v.Above = []page.Place{view.From(dir, filepath.Join(root, PageFile), "the matrix")}
	return store.Write(r.Dir, store.Report, func(w *os.File) error {
		return reports.WriteHTML(w, v)
	})
}

// Links returns links to the reports of the runs below a directory that have a file.
func Links(root fs.FS, file string) page.Link {
	return func(run string) string {
		if run == "" || !filepath.IsLocal(run) {
			return ""
		}
		if _, err := fs.Stat(root, path.Join(filepath.ToSlash(run), file)); err != nil {
			return ""
		}
		return (&url.URL{Path: path.Join(filepath.ToSlash(run), store.Report)}).String()
	}
}
