package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
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
	tracked
	costs bool
	again bool
}

func matrixCommand() *cobra.Command {
	var f matrixFlags
	c := &cobra.Command{
		Use:   "matrix",
		Short: "Run all locks under all faults, and compare with the expectations",
		Long: `Run all locks under all faults, and compare with the expectations.

Exit codes: 0 measured, whatever was found, 254 wrong usage, 255 every run of a lock broke, 130
interrupted. ` + advice.Verb("check") + ` judges the same runs without expectations: its exit code is
that of the worst run.`,
		Example: `  lockbench matrix                                    # everything, once
  lockbench matrix --impl getset,token-lua --nemesis failover,pause --repeat 20
  lockbench matrix --adapters all --nemesis pause,failover
  lockbench matrix --impl token-lua --env docker --redis-image redis:7
  lockbench matrix --resume store/matrix-all/latest   # go on after an interruption`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c.Flags()); err != nil {
				return err
			}
			return f.run(c)
		},
	}
	s := c.Flags()
	also(s, "adapter", "adapters")
	s.StringSliceVar(&f.options.Rows, "impl", nil, "locks, or all (default all; with --adapters none)")
	s.StringSliceVar(&f.options.Adapters, "adapters", nil,
		"lock libraries instead of locks, or together with --impl: names or folders, or all")
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
	s.StringVar(&f.resume, "resume", "", "go on with the interrupted matrix in this directory")
	s.BoolVar(&f.costs, "costs", true, "also measure what each lock costs: one second each")
	s.BoolVar(&f.asJSON, "json", false, "print the matrix as JSON")
	f.registerTracked(s)
	s.BoolVar(&f.again, "again", false,
		"with --resume: judge the runs that there are once more, with this checker")
	return c
}

// withResume lists the flags that a resumed matrix accepts. The other flags select its runs, and
// were fixed at its start.
var withResume = []string{"resume", "jobs", "costs", "json", "again", "since",
	"metrics"}

// check returns an error for flags without an effect.
func (f *matrixFlags) check(set *pflag.FlagSet) (err error) {
	if f.again && f.resume == "" {
		return errors.New("--again judges runs that there are; name their directory with --resume")
	}
	set.Visit(func(g *pflag.Flag) {
		switch {
		case err != nil:
		case f.resume != "" && !slices.Contains(withResume, g.Name):
			err = fmt.Errorf("--resume keeps the earlier options; omit --%s", g.Name)
		case g.Name == "adapters" && f.options.Environment == runner.Sim:
			err = errors.New("--adapters needs real servers; omit --env sim, or use run or gate in the " +
				"simulator")
		}
	})
	return err
}

// withBar calls do, and shows its progress in a bar.
func withBar(c *cobra.Command, do func(tell func(done, all int, what string)) error) error {
	bar := progress.StartBar(c.ErrOrStderr())
	defer bar.Stop()
	return do(bar.Step)
}

// tellStep tells of a finished run, and of its repetition.
func tellStep(tell func(done, all int, what string), s matrix.Step) {
	what := s.Result.Row + " under " + s.Result.Nemesis
	switch {
	case s.Why != "":
		what += ", again: " + s.Why
	case s.Result.Row == "":
		what = "the first runs"
	}
	tell(s.Done, s.All, what)
}

func (f *matrixFlags) run(c *cobra.Command) error {
	if err := f.checkSince(matrix.File); err != nil {
		return err
	}
	dir, err := f.open(c.Context())
	if err != nil {
		return err
	}
	defer dir.Close()
	dir.Options.Excused = matrix.Excused
	if f.again {
		if err := withBar(c, dir.JudgeAgain); err != nil {
			return broken(err)
		}
	}
	warnOfLoad(c, dir.Options.Environment)
	runs, begin := &runner.Runs{Root: dir.Dir}, time.Now()
	defer runs.Close()
	bar := progress.StartBar(c.ErrOrStderr())
	tell := bar.Aloud(c.ErrOrStderr())
	runErr := dir.Run(c.Context(), runs.Run, func(s matrix.Step) { tellStep(tell, s) })
	bar.Stop()
	for _, line := range matrix.Repeated(dir.Known) {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench:", line)
	}
	m, err := matrix.New(dir.Options, dir.Known)
	if err != nil {
		return err
	}
	if runErr == nil {
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
		return interrupted(fmt.Sprintf("`%s` goes on", advice.MatrixResume.Fill(dir.Dir)))
	case runErr != nil:
		return broken(runErr)
	case err != nil:
		return err
	}
	if none := m.Unrun(dir.Options); len(none) > 0 {
		return fmt.Errorf("nothing of %s could be run: %s", none[0].Row, none[0].Impossible)
	}
	return brokenRows(dir.Known)
}

// brokenRows returns an error if all runs of a lock broke: nothing is known of it.
func brokenRows(results []matrix.Result) error {
	all := matrix.Broken(results)
	if len(all) == 0 {
		return nil
	}
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.Row
	}
	return broken(fmt.Errorf("every run of %s broke, so nothing is known of it; the first error: %s",
		strings.Join(names, ", "), all[0].HarnessError))
}

// open creates the matrix directory, or reads the directory of an interrupted matrix.
func (f *matrixFlags) open(ctx context.Context) (*matrix.Folder, error) {
	o := f.options
	o.Columns = withNone(o.Columns)
	if f.resume != "" {
		return f.goOn(o.Jobs)
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
	o.By, o.Since = runner.Version(), latestIn(filepath.Join(f.store, "matrix-all"))
	if o.Locks, err = o.Drives(); err != nil {
		return nil, err
	}
	return matrix.Create(f.store, o)
}

// goOn reads the directory of an interrupted matrix.
func (f *matrixFlags) goOn(jobs int) (*matrix.Folder, error) {
	dir, err := matrix.Resume(f.resume)
	if err != nil {
		return nil, err
	}
	if err := dir.Options.Unchanged(runner.Version()); err != nil && !f.again {
		return nil, errors.Join(err, dir.Close())
	}
	if jobs > 0 {
		dir.Options.Jobs = jobs
	}
	f.since = cmp.Or(f.since, dir.Options.Since)
	return dir, nil
}

// withNone adds the runs without a fault to the named columns. Without them it is unclear whether a
// fault breaks a lock, or the lock fails by itself.
func withNone(columns []string) []string {
	if len(columns) == 0 || slices.Contains(columns, "none") {
		return columns
	}
	return append([]string{"none"}, columns...)
}

// adapterTTL is the lease in a matrix of libraries, because some count in whole seconds.
const adapterTTL = 2 * time.Second

// finish measures the costs of the locks, and writes the reports that the matrix links to. An error
// here is printed, but costs no verdict.
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

// conclude writes and shows the matrix.
func (f *matrixFlags) conclude(c *cobra.Command, dir string, m *matrix.Matrix) error {
	var err error
	home := filepath.Dir(dir)
	m.Findings, err = f.track(dir, home, matrix.File, filepath.Base(home), m.Tested())
	err = errors.Join(err, matrixpage.Save(dir, m),
		store.Point(filepath.Dir(home), dir))
	return broken(errors.Join(err, showMatrix(c, dir, m, f.asJSON)))
}

func showMatrix(c *cobra.Command, dir string, m *matrix.Matrix, asJSON bool) error {
	if asJSON {
		return m.Write(c.OutOrStdout())
	}
	err := m.Text(c.OutOrStdout(), progress.Width(c.OutOrStdout()))
	fmt.Fprintf(c.OutOrStdout(), "\nThe runs, matrix.html and matrix.md are in %s\n", dir)
	return err
}
