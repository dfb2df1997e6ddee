package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/reports"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/terminal"
	"github.com/lockbench/lockbench/reports/view"
)

// The files of a gate's directory, apart from gate.json and runs/.
const (
	JUnitFile   = "junit.xml"
	SummaryFile = "summary.md"
	PageFile    = store.GatePage
	// AnnotationsFile holds the notes that GitHub shows at the lines of the gate file.
	AnnotationsFile = "annotations.txt"
)

// Save illustrates a result, and writes the files for people and programs. It writes failures of an
// illustration to say.
func Save(ctx context.Context, dir string, r *gate.Result, say io.Writer) error {
	illustrate(ctx, dir, r, say)
	return errors.Join(
		store.Write(dir, gate.ResultFile, func(w *os.File) error { return r.Write(w) }),
		store.Write(dir, JUnitFile, func(w *os.File) error { return WriteJUnit(w, r) }),
		store.Write(dir, SummaryFile, func(w *os.File) error { return WriteSummary(w, r) }),
		store.Write(dir, PageFile, func(w *os.File) error { return WritePage(w, r) }),
		store.Write(dir, AnnotationsFile, func(w *os.File) error { return WriteAnnotations(w, r) }),
	)
}

// illustrate writes the report of each run that shows an unexpected result, with the command that
// repeats it. In the simulator it also shrinks the violation.
func illustrate(ctx context.Context, root string, r *gate.Result, say io.Writer) {
	shrunk, bar := 0, progress.StartBar(say)
	defer bar.Stop()
	for i := range r.Entries {
		e := &r.Entries[i]
		bar.Step(i+1, len(r.Entries), "the report of "+e.Name)
		if e.Result == gate.Passed || e.Shown == nil || e.Shown.Dir == "" {
			continue
		}
		dir := filepath.Join(root, filepath.FromSlash(e.Shown.Dir))
		run, _ := store.Load(dir)
		if run == nil || run.Verdict == nil {
			continue // nothing was recorded; the claim says why
		}
		v, err := view.New(run)
		if err == nil {
			v.Above = []page.Place{view.From(dir, filepath.Join(root, PageFile), "the gate")}
			_, err = reports.Save(v)
		}
		if err == nil && e.Planned > 0 { // the entry of the forms only points to an example
			err = advise(v, e.Shown)
		}
		if err != nil {
			fmt.Fprintf(say, "lockbench: no report of %s: %v\n", e.Name, err)
			continue
		}
		e.Shown.Report = e.Shown.Dir + "/" + store.Report
		if _, err := os.Stat(filepath.Join(dir, store.Counterexample)); err == nil {
			e.Shown.Reproduce = run.History.Header.Command // the plan alone does not repeat it
			continue
		}
		e.Shown.Reproduce = advice.RunPlan.Fill(filepath.Join(dir, store.Plan)).Line
		if shrunk == shrinkMax || e.Shown.Counterexample != "" {
			continue
		}
		name, err := shrink(ctx, dir, run)
		if err != nil {
			fmt.Fprintf(say, "lockbench: %s could not be made small: %v\n", e.Name, err)
		} else if name != "" {
			e.Shown.Counterexample = e.Shown.Dir + "/" + name
			shrunk++
		}
	}
}

// advise adds what to do about the worst violation of a run.
func advise(v *view.View, s *gate.Shown) error {
	r, err := reports.Remedy(v)
	if r != nil {
		s.ToDo = terminal.Remedy(*r, gate.LineOfToDo)
	}
	return err
}

// These bounds limit the shrinking of a gate's violations: the run itself exists in any case.
const (
	shrinkFor = 15 * time.Second
	shrinkMax = 4 // entries
)

// shrink shrinks the violation of a simulated run and writes the result into the directory of the
// run. It returns the file's name, or "" if it had nothing to shrink.
func shrink(ctx context.Context, dir string, r *store.Run) (string, error) {
	if r.History.Header.Environment != "sim" || r.Verdict.Verdict != checker.Violated {
		return "", nil
	}
	worst, found := r.Verdict.Worst()
	file, err := units.Open(filepath.Join(dir, store.Plan), units.MaxFile)
	if err != nil || !found {
		return "", err
	}
	defer file.Close()
	p, err := harness.ReadPlan(file)
	if err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(ctx, shrinkFor)
	defer stop()
	h, err := explore.HitOf(ctx, p, worst.Property)
	if err != nil {
		return "", err
	}
	x, _, err := h.Shrink(ctx, nil)
	if err != nil {
		return "", err
	}
	const name = store.Counterexample
	return name, store.Write(dir, name, func(f *os.File) error { return x.Write(f) })
}
