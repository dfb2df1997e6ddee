package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose/advice"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/lab/study"
	matrixpage "github.com/lockbench/lockbench/reports/matrix"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// matrixFlags are the flags of matrix.
type matrixFlags struct {
	options matrix.Options
	store   string
	resume  string
	asJSON  bool
	costs   bool
	docs    string

	soak, mitigations, again bool
}

func matrixCommand() *cobra.Command {
	var f matrixFlags
	c := &cobra.Command{
		Use:   "matrix",
		Short: "Run all locks under all faults, and compare with what was expected",
		Example: `  # everything, once
  lockbench matrix

  # some locks under some faults, each aim 20 times
  lockbench matrix --impl getset,token-lua --nemesis failover,pause --repeat 20

  # what lock libraries do, as they are released
  lockbench matrix --adapters all --nemesis pause,failover

  # the same in containers of the image that you deploy
  lockbench matrix --impl token-lua --env docker --redis-image redis:7

  # what a WAIT, an append-only file or a longer lease mend, and what they cost
  lockbench matrix --mitigations --repeat 5

  # is every letter found 20 times of 20? Exit code 1 if not
  lockbench matrix --soak

  # go on after an interruption
  lockbench matrix --resume store/matrix-all/latest`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c.Flags()); err != nil {
				return err
			}
			if f.soak && !c.Flags().Changed("repeat") {
				f.options.Repeat = study.SoakRuns
			}
			if f.mitigations {
				return f.mitigate(c)
			}
			return f.run(c)
		},
	}
	s := c.Flags()
	also(s, "adapter", "adapters")
	s.StringSliceVar(&f.options.Rows, "impl", nil, "locks, or all (default all; with --adapters none)")
	s.StringSliceVar(&f.options.Adapters, "adapters", nil,
		"lock libraries instead of locks, or beside those of --impl: names or folders, or all")
	s.StringSliceVar(&f.options.Columns, "nemesis", nil,
		"faults, by the names of the matrix' columns; none is always run (default all)")
	s.DurationVar(&f.options.TTL, "ttl", 0,
		"lease of the locks that do not fix their own (default 500ms, of libraries 2s)")
	s.IntVar(&f.options.Repeat, "repeat", 1, "runs of each scenario")
	s.IntVar(&f.options.Jobs, "jobs", 0,
		"runs at the same time, of the lightest lock; one on several masters counts as several, and so "+
			"does a library (default for each core six, and up to 14 while it has time to spare; of "+
			"libraries and in other environments a third of that)")
	s.Uint64Var(&f.options.Seed, "seed", 1, "seed of all randomness")
	s.StringVar(&f.options.Environment, "env", "auto",
		"environment to run in: auto, process, docker, external, sim")
	registerPlace(s, &f.options.Place)
	s.Var(&f.options.Shard, "shard",
		"run this part only: 2/4 is the second of four; '"+advice.Verb("merge")+"' joins them")
	s.StringVar(&f.store, "store", "store", "directory that keeps the runs")
	s.StringVar(&f.resume, "resume", "", "go on with an interrupted matrix: its directory")
	s.StringVar(&f.docs, "docs", "",
		"also keep what was found in this directory, and write the pages of docs there")
	s.BoolVar(&f.costs, "costs", true, "also measure what each lock costs: one second each")
	s.BoolVar(&f.asJSON, "json", false, "print the matrix as JSON")
	s.BoolVar(&f.again, "again", false,
		"with --resume: judge the runs that there are once more, with this checker")
	s.BoolVar(&f.soak, "soak", false,
		"each scenario 20 times (or --repeat), and judge: every letter each time, and nothing else")
	s.BoolVar(&f.mitigations, "mitigations", false,
		"instead, run faults without and with what is said to mend them")
	return c
}

// withResume are the flags that a matrix may have when it goes on: the others say what it runs,
// which was said when it began. withMitigations are those of the mitigations, which have their own
// locks and faults.
var (
	withResume      = []string{"resume", "jobs", "docs", "costs", "json", "again", "soak"}
	withMitigations = []string{"mitigations", "repeat", "jobs", "seed", "ttl", "store", "docs", "json",
		"env", "server", "redis-image", "docker-network", "workers"}
)

// check refuses flags that would have no effect.
func (f *matrixFlags) check(set *pflag.FlagSet) (err error) {
	if f.again && f.resume == "" {
		return errors.New("--again judges runs that there are; name their directory with --resume")
	}
	set.Visit(func(g *pflag.Flag) {
		switch {
		case err != nil:
		case f.mitigations && !slices.Contains(withMitigations, g.Name):
			err = fmt.Errorf(
				"--mitigations has its own locks and faults, and runs them all; leave --%s away", g.Name)
		case f.resume != "" && !slices.Contains(withResume, g.Name):
			err = fmt.Errorf("--resume goes on with what was asked for then; leave --%s away", g.Name)
		}
	})
	return cmp.Or(err, checkDocs(f.docs))
}

// checkDocs refuses a directory of pages that is not there, before anything is run for it.
func checkDocs(dir string) error {
	if info, err := os.Stat(dir); dir != "" && (err != nil || !info.IsDir()) {
		return fmt.Errorf("--docs %s is no directory; make it first", dir)
	}
	return nil
}

// withBar does something while a bar shows how far it has come.
func withBar(c *cobra.Command, do func(tell func(done, all int, what string)) error) error {
	bar := progress.StartBar(c.ErrOrStderr())
	defer bar.Stop()
	return do(bar.Step)
}

// tellStep makes a bar show a run that is over, and what will be repeated.
func tellStep(bar *progress.Bar, s matrix.Step) {
	what := s.Result.Row + " under " + s.Result.Nemesis
	switch {
	case s.Why != "":
		what += ", again: " + s.Why
	case s.Result.Row == "":
		what = "the first runs"
	}
	bar.Step(s.Done, s.All, what)
}

func (f *matrixFlags) run(c *cobra.Command) error {
	dir, err := f.open(c.Context())
	if err != nil {
		return err
	}
	defer dir.Close()
	dir.Options.Excused = study.Excused
	if f.again {
		if err := withBar(c, dir.JudgeAgain); err != nil {
			return broken(err)
		}
	}
	warnOfLoad(c, dir.Options.Environment)
	runs, begin := &runner.Runs{Root: dir.Dir}, time.Now()
	defer runs.Close()
	bar := progress.StartBar(c.ErrOrStderr())
	runErr := dir.Run(c.Context(), runs.Run, func(s matrix.Step) { tellStep(bar, s) })
	bar.Stop()
	for _, line := range matrix.Repeated(dir.Known) {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench:", line)
	}
	m, err := matrix.New(dir.Options, dir.Known)
	if err != nil {
		return err
	}
	if runErr == nil && !f.soak {
		runErr = f.finish(c, dir, runs, m)
	}
	m.Took, m.Partial = dir.Took+history.Duration(time.Since(begin)), runErr != nil
	if m.Versions = runs.Versions(); m.Versions == nil {
		m.Versions = dir.Versions
	}
	m.Machine = runner.Machine(m.Environment)
	err = f.conclude(c, dir.Dir, m)
	switch {
	case errors.Is(runErr, context.Canceled):
		return interrupted(fmt.Sprintf("`%s` goes on", advice.MatrixResume.Of(dir.Dir)))
	case runErr != nil:
		return broken(runErr)
	}
	return err
}

// open makes the directory of the matrix, or reads that of an interrupted one.
func (f *matrixFlags) open(ctx context.Context) (*matrix.Folder, error) {
	o := f.options
	o.Columns = withNone(o.Columns)
	if f.resume != "" {
		dir, err := matrix.Resume(f.resume)
		if err == nil && o.Jobs > 0 {
			dir.Options.Jobs = o.Jobs
		}
		return dir, err
	}
	c, err := runner.Choose(ctx, o.Environment, o.Place)
	if err == nil {
		err = runner.Available(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	o.Environment, o.Place = c.Environment, c.Place
	if c.Environment == runner.Docker || c.Environment == runner.Process {
		o.Unsupported = runner.Capabilities(ctx, c, true).Unsupported()
	}
	if len(o.Adapters) > 0 {
		o.TTL = cmp.Or(o.TTL, adapterTTL)
		if o.Missing, err = o.MissingAdapters(); err != nil {
			return nil, err
		}
		if err := o.Lacking(func(w harness.RunOptions) error { return runner.Try(ctx, w) }); err != nil {
			return nil, err
		}
	}
	return matrix.Create(f.store, o)
}

// withNone adds the runs without a fault to columns that were named: without them no one can say
// whether a fault breaks a lock, or the lock fails by itself.
func withNone(columns []string) []string {
	if len(columns) == 0 || slices.Contains(columns, "none") {
		return columns
	}
	return append([]string{"none"}, columns...)
}

// adapterTTL is the lease in a matrix of libraries: some count in whole seconds.
const adapterTTL = 2 * time.Second

// finish measures what the locks cost, and writes the reports that the matrix links to. What goes
// wrong here costs no verdict: it is said.
func (f *matrixFlags) finish(c *cobra.Command, dir *matrix.Folder, runs *runner.Runs,
	m *matrix.Matrix) error {
	for _, part := range []func(tell func(done, all int, what string)) error{
		func(tell func(done, all int, what string)) error {
			if !f.costs {
				return nil
			}
			return dir.Measure(c.Context(), runs.Run, m, tell)
		},
		func(tell func(done, all int, what string)) error {
			return matrixpage.SaveReports(c.Context(), dir.Dir, m, tell)
		},
	} {
		err := withBar(c, part)
		if c.Context().Err() != nil {
			return c.Context().Err()
		}
		if err != nil {
			fmt.Fprintln(c.ErrOrStderr(), "lockbench:", err)
		}
	}
	return nil
}

// conclude writes and shows what came of it.
func (f *matrixFlags) conclude(c *cobra.Command, dir string, m *matrix.Matrix) error {
	err := errors.Join(matrixpage.Save(dir, m), store.Point(filepath.Dir(filepath.Dir(dir)), dir))
	switch {
	case f.soak && err == nil:
		return f.judgeSoak(c, dir, study.CountSoak(m))
	case f.docs != "" && !f.soak:
		err = errors.Join(err, study.WriteDocs(m, f.docs))
	}
	if !f.soak {
		err = errors.Join(err, showMatrix(c, dir, m, f.asJSON))
	}
	return broken(err)
}

// showMatrix prints a matrix.
func showMatrix(c *cobra.Command, dir string, m *matrix.Matrix, asJSON bool) error {
	if asJSON {
		return m.Write(c.OutOrStdout())
	}
	err := m.Text(c.OutOrStdout(), progress.Width(c.OutOrStdout()))
	fmt.Fprintf(c.OutOrStdout(), "\nThe runs, matrix.html and matrix.md are in %s\n", dir)
	return err
}

// judgeSoak writes and shows how often each property was found violated. The error is nil if every
// run found what it had to, and nothing else.
func (f *matrixFlags) judgeSoak(c *cobra.Command, dir string, s *study.Soak) error {
	show := s.Text
	if f.asJSON {
		show = s.Write
	}
	if err := errors.Join(s.Save(dir, f.docs), show(c.OutOrStdout())); err != nil {
		return broken(err)
	}
	if n := len(s.Contradictions()); n > 0 {
		return exit{checker.ExitUnexpected,
			fmt.Errorf("%d letters are not what they have to be; the runs are in %s", n, dir)}
	}
	if n := len(s.Lost); n > 0 {
		return exit{checker.ExitUnknown, fmt.Errorf("%d scenarios have runs that could not be judged; "+
			"`%s` shows them", n, advice.SoakResume.Of(dir))}
	}
	return nil
}

// mitigate measures the mitigations instead of the matrix.
func (f *matrixFlags) mitigate(c *cobra.Command) error {
	dir, err := f.open(c.Context())
	if err != nil {
		return err
	}
	defer dir.Close()
	runs, bar := &runner.Runs{Root: dir.Dir}, progress.StartBar(c.ErrOrStderr())
	defer runs.Close()
	m, runErr := study.Mitigate(c.Context(), dir.Options, dir.Dir, runs.Run, bar.Step)
	bar.Stop()
	m.Versions = runs.Versions()
	err = m.Save(dir.Dir)
	if f.docs != "" && runErr == nil {
		err = errors.Join(err, m.Save(f.docs))
	}
	switch {
	case err != nil:
		return broken(err)
	case errors.Is(runErr, context.Canceled):
		return interrupted("nothing was written to docs")
	case runErr != nil:
		return broken(runErr)
	case f.asJSON:
		return broken(m.Write(c.OutOrStdout()))
	}
	err = m.Text(c.OutOrStdout())
	fmt.Fprintf(c.OutOrStdout(), "\nThe runs and %s are in %s\n", study.MitigationsFile, dir.Dir)
	return broken(err)
}
