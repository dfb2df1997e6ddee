package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/campaign/findings"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/spf13/pflag"
)

// tracked are the flags of a campaign that is repeated.
type tracked struct{ since, metrics string }

func (t *tracked) registerTracked(s *pflag.FlagSet) {
	s.StringVar(&t.since, "since", "",
		"compare the findings with this earlier directory (default the latest in the store)")
	s.StringVar(&t.metrics, "metrics", "",
		"write the numbers of cells and findings to this file, for Prometheus' textfile collector")
}

// checkSince returns an error if the earlier directory that --since names has no result.
func (t *tracked) checkSince(file string) error {
	if t.since == "" {
		return nil
	}
	if _, err := findingsIn(t.since, file); err != nil {
		return fmt.Errorf("--since: %w", err)
	}
	return nil
}

// findingsIn reads the findings of a campaign from the result in its directory.
func findingsIn(dir, file string) ([]findings.Finding, error) {
	r, err := batch.ReadFile[struct {
		Format   int                `json:"format"`
		Findings []findings.Finding `json:"findings"`
	}](filepath.Join(dir, file))
	if err != nil {
		return nil, err
	}
	return r.Findings, nil
}

// track compares the findings of a campaign with an earlier campaign's, by default with the latest
// one in home, and writes the metrics. File is the name of the result in both directories, from the
// label of the metrics. The findings are good even if the metrics could not be written.
func (t *tracked) track(dir, home, file, from string, cells []findings.Cell) ([]findings.Finding,
	error) {
	var old []findings.Finding
	if since := cmp.Or(t.since, latestIn(home)); since != "" && !sameDir(since, dir) {
		old, _ = findingsIn(since, file)
	}
	all := findings.Track(cells, old)
	if t.metrics == "" {
		return all, nil
	}
	err := store.Write(filepath.Dir(t.metrics), filepath.Base(t.metrics), func(w *os.File) error {
		return findings.WriteMetrics(w, from, cells, all)
	})
	if err != nil {
		return all, fmt.Errorf("--metrics: %w", err)
	}
	return all, nil
}

// latestIn returns the latest directory of a campaign below home, or "".
func latestIn(home string) string {
	dir, err := filepath.EvalSymlinks(filepath.Join(home, store.Latest))
	if err != nil {
		return ""
	}
	dir, _ = filepath.Abs(dir)
	return dir
}

func sameDir(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}
