package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
)

// The files in the directory of a matrix.
const (
	File        = "matrix.json"
	resultsFile = "results.jsonl" // sorted by the end of the runs
	optionsFile = "options.json"  // the request, for resuming
)

// Folder is the directory of a matrix. Another process can resume the matrix from it.
type Folder struct {
	Dir     string
	Options Options
	Known   []Result // of the finished runs

	Took     history.Duration  // time used by earlier processes
	Versions map[string]string // versions of the servers of earlier processes

	lock io.Closer // nil if the directory is only read
}

// Create creates the directory of a new matrix in a store.
func Create(root string, o Options) (*Folder, error) {
	if _, err := New(o, nil); err != nil {
		return nil, err
	}
	dir, err := store.Create(root, "matrix", "all", time.Now())
	if err != nil {
		return nil, err
	}
	o.Format = batch.Format
	f := &Folder{Dir: dir, Options: o}
	if f.lock, err = batch.Lock(dir); err != nil {
		return nil, err
	}
	return f, f.saveOptions()
}

// Resume opens the directory of a matrix to continue it. No other process can resume it until Close
// is called.
func Resume(dir string) (*Folder, error) {
	if _, err := Open(dir); err != nil {
		return nil, err // it is not a matrix
	}
	lock, err := batch.Lock(dir)
	if err != nil {
		return nil, err
	}
	f, err := Open(dir) // after the last process has finished writing
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	f.lock = lock
	return f, nil
}

// Close allows another process to resume the matrix.
func (f *Folder) Close() error {
	if f.lock == nil {
		return nil
	}
	return f.lock.Close()
}

// Open reads the directory of a matrix. The matrix may be interrupted or still running.
func Open(dir string) (*Folder, error) {
	real, err := filepath.EvalSymlinks(dir)
	var o *Options
	if err == nil {
		o, err = batch.ReadFile[Options](filepath.Join(real, optionsFile))
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no matrix: %w", dir, err)
	}
	f := &Folder{Dir: real, Options: *o}
	// The file is missing if lockbench was killed.
	if m, err := batch.ReadFile[Matrix](filepath.Join(real, File)); err == nil {
		f.Took, f.Versions = m.Took, m.Versions
	}
	file, err := units.Open(filepath.Join(real, resultsFile), units.MaxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	f.Known, err = ReadResults(file)
	return f, err
}

// OpenPart reads the directory of a finished shard.
func OpenPart(dir string) (p Part, err error) {
	f, err := Open(dir)
	if err != nil {
		return p, err
	}
	p = Part{Name: dir, Options: f.Options, Results: f.Known}
	if p.Matrix, err = batch.ReadFile[Matrix](filepath.Join(f.Dir, File)); err != nil {
		return p, fmt.Errorf("%s was not run to its end: %w", dir, err)
	}
	return p, nil
}

// Run carries out the runs that are not in Known, with Options.Run, and records their results.
func (f *Folder) Run(ctx context.Context, run batch.Runner, tell Progress) (err error) {
	out, err := batch.OpenRecord[Result](filepath.Join(f.Dir, resultsFile))
	if err != nil {
		return err
	}
	defer out.Close()
	f.Known, err = f.Options.Run(ctx, run, f.Known, out, tell)
	return err
}

// Save writes the options and results for resuming the matrix.
func (f *Folder) Save() error { return errors.Join(f.saveOptions(), f.saveResults()) }

func (f *Folder) saveOptions() error {
	return store.Write(f.Dir, optionsFile, func(w *os.File) error {
		return batch.WriteLine(w, f.Options)
	})
}

func (f *Folder) saveResults() error {
	return store.Write(f.Dir, resultsFile, func(w *os.File) error {
		for _, r := range f.Known {
			if err := batch.WriteLine(w, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// JudgeAgain judges all runs again from their records, with the current checker, and replaces their
// verdicts. A run whose record or plan is missing keeps its verdict. Calls of tell do not overlap.
func (f *Folder) JudgeAgain(tell func(done, all int, what string)) error {
	var mu sync.Mutex
	var failed error
	done, places := 0, make([]int, len(f.Known))
	for i := range places {
		places[i] = i
	}
	pool.Each(context.Background(), runtime.NumCPU(), slices.Values(places), func(i int) {
		r, err := f.judgedAgain(f.Known[i])
		mu.Lock()
		defer mu.Unlock()
		f.Known[i], failed = r, errors.Join(failed, err)
		done++
		tell(done, len(f.Known), r.Row+" under "+r.Nemesis)
	})
	if failed != nil {
		return failed
	}
	return f.saveResults()
}

func (f *Folder) judgedAgain(r Result) (Result, error) {
	run, err := store.Load(filepath.Join(f.Dir, r.Dir))
	if run == nil {
		return r, nil
	}
	plan, planErr := harness.ReadPlan(bytes.NewReader(run.Plan))
	if planErr != nil {
		return r, nil
	}
	run.Verdict = checker.Check(run.History, run.Trace, checker.Options{Partial: err != nil})
	return r.Rejudged(plan, run.Verdict), run.SaveVerdict()
}

// Measure adds the costs of each lock to the matrix. It executes additional runs one after the
// other, because parallel runs would affect each other. It alternates between the locks, because
// the speed of a machine varies. It keeps measurements from before an interruption. The error names
// the locks that could not be measured.
func (f *Folder) Measure(ctx context.Context, run batch.Runner, m *Matrix,
	tell func(done, all int, what string)) (failed error) {
	rows, turns := f.Options.CostRows(), f.Options.CostRuns()
	samples := map[string][]batch.Sample{}
	if len(rows) > 0 {
		tell(0, turns*len(rows), "the cost of "+rows[0].Name)
	}
	for i := range turns * len(rows) {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := rows[i%len(rows)]
		s, err := f.cost(ctx, run, r, i/len(rows))
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("no cost of %s: %w", r.Name, err))
			continue
		}
		samples[r.Name] = append(samples[r.Name], s)
		tell(i+1, turns*len(rows), "the cost of "+r.Name)
	}
	for _, r := range rows {
		if all := samples[r.Name]; len(all) > 0 {
			m.Costs = append(m.Costs, f.rowCost(r, all))
		}
	}
	return failed
}

// rowCost combines the samples of a lock.
func (f *Folder) rowCost(r Row, all []batch.Sample) RowCost {
	p, _ := f.Options.CostPlan(r, 0) // Measure has already created this plan
	c := RowCost{Row: r.Name, Dir: CostDir(r, 0), Clients: p.Clients, Hold: p.Hold,
		Cost: batch.Join(all...)}
	if len(all) > 1 {
		for _, s := range all {
			c.Each = append(c.Each, batch.Join(s))
		}
	}
	return c
}

// cost measures one lock once. It reuses a complete record of the run.
func (f *Folder) cost(ctx context.Context, run batch.Runner, r Row, turn int) (s batch.Sample,
	err error) {
	p, err := f.Options.CostPlan(r, turn)
	if err != nil {
		return s, err
	}
	name := CostDir(r, turn)
	dir := filepath.Join(f.Dir, name)
	recorded, err := store.Load(dir)
	if err != nil || !recorded.History.Complete() {
		if _, err := run(ctx, p, name); err != nil {
			return s, err
		}
		if recorded, err = store.Load(dir); err != nil {
			return s, err
		}
	}
	return batch.Measure(recorded.History, recorded.Trace), nil
}
