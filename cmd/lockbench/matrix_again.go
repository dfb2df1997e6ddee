package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign"
	"github.com/lockbench/lockbench/internal/store"
)

// judgeAgain draws the verdicts on the runs that there are once more from their records, with the checker as it is now, and writes them in the
// place of the old ones. A run whose record is gone keeps its verdict.
func judgeAgain(dir string, known []campaign.Result, tell func(done, all int, what string)) ([]campaign.Result, error) {
	for i, r := range known {
		run, err := store.Load(filepath.Join(dir, r.Dir))
		if run == nil {
			continue
		}
		run.Verdict = checker.Check(run.History, run.Trace, checker.Options{Partial: err != nil})
		if err := store.Write(filepath.Join(dir, r.Dir), store.Verdict, func(w *os.File) error { return run.Verdict.Write(w) }); err != nil {
			return nil, err
		}
		known[i] = r.Again(run.Verdict)
		tell(i+1, len(known), r.Row+" under "+r.Nemesis)
	}
	return known, store.Write(dir, resultsFile, func(w *os.File) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for _, r := range known {
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
		return nil
	})
}
