package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/store"
)

// judgeAgain draws the verdicts on the runs that there are once more from their records, with the
// checker as it is now, and writes them in the place of the old ones. A run whose record or plan is
// gone keeps its verdict. Each core judges; tell is called by one at a time.
func judgeAgain(dir string, known []matrix.Result, tell func(done, all int, what string)) (
	[]matrix.Result, error) {
	var cores sync.WaitGroup
	var one sync.Mutex
	var failed error
	done := 0
	for core := range runtime.NumCPU() {
		cores.Go(func() {
			for i := core; i < len(known); i += runtime.NumCPU() {
				r, err := judgedAgain(dir, known[i])
				one.Lock()
				known[i], failed = r, errors.Join(failed, err)
				done++
				tell(done, len(known), r.Row+" under "+r.Nemesis)
				one.Unlock()
			}
		})
	}
	cores.Wait()
	if failed != nil {
		return nil, failed
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

func judgedAgain(dir string, r matrix.Result) (matrix.Result, error) {
	run, err := store.Load(filepath.Join(dir, r.Dir))
	if run == nil {
		return r, nil
	}
	plan, planErr := harness.ReadPlan(bytes.NewReader(run.Plan))
	if planErr != nil {
		return r, nil
	}
	run.Verdict = checker.Check(run.History, run.Trace, checker.Options{Partial: err != nil})
	return r.Again(plan, run.Verdict), store.Write(filepath.Join(dir, r.Dir), store.Verdict,
		func(w *os.File) error { return run.Verdict.Write(w) })
}
