package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	matrixpage "github.com/lockbench/lockbench/reports/matrix"
	"github.com/lockbench/lockbench/reports/view"

	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/reports"
)

// maxReports bounds the reports that a matrix leaves behind: about 150 kB each. The cells beyond
// have no link; `lockbench report` makes theirs.
const maxReports = 1500

// writeReports writes the report of each run that a cell of the matrix links to, and returns how
// many.
func writeReports(ctx context.Context, root string, m *matrix.Matrix, tell func(done, all int,
	what string)) (int, error) {
	dirs := matrixpage.WitnessDirs(m)
	dirs = dirs[:min(len(dirs), maxReports)]
	queue := make(chan string)
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	done := 0
	for range runtime.NumCPU() {
		all.Go(func() {
			for dir := range queue {
				err := cellReport(filepath.Join(root, dir))
				mu.Lock()
				if done++; err != nil && failed == nil {
					failed = fmt.Errorf("no report of %s: %w", dir, err)
				}
				tell(done, len(dirs), "reports")
				mu.Unlock()
			}
		})
	}
	for _, dir := range dirs {
		if ctx.Err() != nil {
			break
		}
		queue <- dir
	}
	close(queue)
	all.Wait()
	return done, failed
}

// cellReport writes the report of one run, unless it is there already. A run that was not recorded
// has none.
func cellReport(dir string) error {
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
	v, err := view.Of(r)
	if err != nil {
		return err
	}
	return store.Write(r.Dir, store.Report, func(w *os.File) error { return reports.WriteHTML(w, v) })
}

// beside links to the reports that are there, as seen from root.
func beside(root string) func(dir string) string {
	return func(dir string) string {
		if dir == "" || !filepath.IsLocal(dir) {
			return ""
		}
		if _, err := os.Stat(filepath.Join(root, dir, store.Report)); err != nil {
			return ""
		}
		return (&url.URL{Path: filepath.ToSlash(filepath.Join(dir, store.Report))}).String()
	}
}
