package main

import (
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

// track compares the findings of a campaign with those of an earlier one, and writes the metrics.
// File is the name of the result in each directory, from the label of the metrics.
func (t *tracked) track(dir, file, from string, cells []findings.Cell) ([]findings.Finding, error) {
	earlier := t.since
	if earlier == "" {
		earlier = filepath.Join(filepath.Dir(dir), store.Latest)
	}
	before, err := batch.ReadFile[struct {
		Format   int                `json:"format"`
		Findings []findings.Finding `json:"findings"`
	}](filepath.Join(earlier, file))
	if err != nil && t.since != "" {
		return nil, fmt.Errorf("--since: %w", err)
	}
	var old []findings.Finding
	if err == nil {
		old = before.Findings
	}
	all := findings.Track(cells, old)
	if t.metrics == "" {
		return all, nil
	}
	err = store.Write(filepath.Dir(t.metrics), filepath.Base(t.metrics), func(w *os.File) error {
		return findings.WriteMetrics(w, from, cells, all)
	})
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	return all, nil
}
