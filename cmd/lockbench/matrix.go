package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	matrixpage "github.com/lockbench/lockbench/reports/matrix"

	"github.com/spf13/cobra"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/internal/study"
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

	before history.Duration // what earlier parts of a resumed matrix took
	was    map[string]string
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
				return usage(err)
			}
			if f.soak && !c.Flags().Changed("repeat") {
				f.options.Repeat = soakRuns
			}
			if f.mitigations {
				return f.mitigate(c)
			}
			return f.run(c)
		},
	}
	s := c.Flags()
	s.StringSliceVar(&f.options.Rows, "impl", nil, "locks (default all)")
	s.StringSliceVar(&f.options.Columns, "nemesis", nil,
		"faults, by the names of the matrix' columns (default all)")
	s.DurationVar(&f.options.TTL, "ttl", 0,
		"lease of the locks that do not fix their own (default 500ms)")
	s.IntVar(&f.options.Repeat, "repeat", 1, "runs of each scenario")
	s.IntVar(&f.options.Jobs, "jobs", 0, "runs at the same time (default two for each core)")
	s.Uint64Var(&f.options.Seed, "seed", 1, "seed of all randomness")
	s.StringVar(&f.options.Environment, "env", "auto",
		"environment to run in: auto, process, docker, external, sim")
	registerPlace(s, &f.options.Place)
	s.Var(&f.options.Shard, "shard",
		"run this part only: 2/4 is the second of four; `lockbench merge` joins them")
	s.StringVar(&f.store, "store", "store", "directory that keeps the runs")
	s.StringVar(&f.resume, "resume", "", "go on with an interrupted matrix: its directory")
	s.StringVar(&f.docs, "docs", "", "also keep what was found in this directory, and write the pages of docs there")
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

func (f *matrixFlags) run(c *cobra.Command) error {
	dir, known, err := f.open()
	if err != nil {
		return usage(err)
	}
	if f.again {
		b := newBar(c.ErrOrStderr())
		known, err = judgeAgain(dir, known, b.step)
		b.stop()
		if err != nil {
			return broken(err)
		}
	}
	out, err := os.OpenFile(filepath.Join(dir, resultsFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND,
		0o644)
	if err != nil {
		return usage(err)
	}
	defer out.Close()
	environment := &processEnvironment{root: dir}
	begin, bar := time.Now(), newBar(c.ErrOrStderr())
	results, runErr := f.options.Run(c.Context(), environment.run, known, out, bar.tell)
	bar.stop()
	m, err := matrix.New(f.options, results)
	if err != nil {
		return usage(err)
	}
	if runErr == nil && !f.soak {
		runErr = f.finish(c, environment, m)
	}
	m.Took, m.Partial, m.Versions = f.before+history.Duration(time.Since(begin)), runErr != nil,
		environment.found()
	if m.Versions == nil {
		m.Versions = f.was
	}
	m.Machine = machine(f.options.Environment)
	err = f.conclude(c, dir, m)
	switch {
	case errors.Is(runErr, context.Canceled):
		return exit{exitInterrupted, fmt.Errorf("interrupted; `lockbench matrix --resume %s` goes on",
			dir)}
	case runErr != nil:
		return broken(runErr)
	}
	return err
}

// conclude writes and shows what came of it.
func (f *matrixFlags) conclude(c *cobra.Command, dir string, m *matrix.Matrix) error {
	if f.soak {
		if err := writeMatrix(dir, m); err != nil {
			return broken(err)
		}
		return f.judgeSoak(c, dir, m)
	}
	if err := errors.Join(writeMatrix(dir, m), f.writeDocs(m), f.show(c.OutOrStdout(), dir, m)); err !=
		nil {
		return broken(err)
	}
	return nil
}

// finish measures what the locks cost, and writes the reports that the matrix links to. What goes
// wrong here costs no verdict: it is said.
func (f *matrixFlags) finish(c *cobra.Command, environment *processEnvironment,
	m *matrix.Matrix) error {
	for _, part := range []func(*bar) error{
		func(b *bar) error {
			if !f.costs {
				return nil
			}
			return f.measure(c.Context(), environment, m, b.step)
		},
		func(b *bar) error {
			_, err := writeReports(c.Context(), environment.root, m, b.step)
			return err
		},
	} {
		b := newBar(c.ErrOrStderr())
		err := part(b)
		b.stop()
		if c.Context().Err() != nil {
			return c.Context().Err()
		}
		if err != nil {
			fmt.Fprintln(c.ErrOrStderr(), "lockbench:", err)
		}
	}
	return nil
}

// The files of a matrix' directory, beside runs/.
const (
	resultsFile = "results.jsonl" // as they come
	optionsFile = "options.json"  // what was asked for, to go on with
	matrixFile  = "matrix.json"
)

// open makes the campaign's directory, or reads what an interrupted one has.
func (f *matrixFlags) open() (dir string, known []matrix.Result, err error) {
	if f.resume != "" {
		return f.reopen()
	}
	c, err := runner.Choose(context.Background(), f.options.Environment, f.options.Place)
	if err == nil {
		err = runner.Available(context.Background(), c)
	}
	if err != nil {
		return "", nil, err
	}
	f.options.Environment, f.options.Place = c.Environment, c.Place
	if c.Environment == runner.Docker || c.Environment == runner.Process {
		f.options.Unsupported = runner.Capabilities(context.Background(), c, true).Unsupported()
	}
	if _, err := matrix.New(f.options, nil); err != nil {
		return "", nil, err
	}
	dir, err = store.Create(f.store, "matrix", "all", time.Now())
	if err != nil {
		return "", nil, err
	}
	return dir, nil, store.Write(dir, optionsFile, func(w *os.File) error {
		return json.NewEncoder(w).Encode(f.options)
	})
}

func (f *matrixFlags) reopen() (string, []matrix.Result, error) {
	dir, err := filepath.EvalSymlinks(f.resume)
	if err != nil {
		return "", nil, fmt.Errorf("%s is no matrix: %w", f.resume, err)
	}
	b, err := os.ReadFile(filepath.Join(dir, optionsFile))
	if err != nil {
		return "", nil, fmt.Errorf("%s is no matrix: %w", f.resume, err)
	}
	jobs := f.options.Jobs
	if err := json.Unmarshal(b, &f.options); err != nil {
		return "", nil, fmt.Errorf("%s: %w", optionsFile, err)
	}
	if jobs > 0 {
		f.options.Jobs = jobs
	}
	// none was written if lockbench was killed
	if m, err := readMatrix(filepath.Join(dir, matrixFile)); err == nil {
		f.before, f.was = m.Took, m.Versions
	}
	file, err := os.Open(filepath.Join(dir, resultsFile))
	if errors.Is(err, os.ErrNotExist) {
		return dir, nil, nil
	} else if err != nil {
		return "", nil, err
	}
	defer file.Close()
	known, err := matrix.ReadResults(file)
	return dir, known, err
}

// writeMatrix writes what can be read and linked to, and makes the store's links show it.
func writeMatrix(dir string, m *matrix.Matrix) error {
	return errors.Join(matrixPages(dir, m), store.Point(filepath.Dir(filepath.Dir(dir)), dir))
}

// matrixPages writes matrix.json and its pages.
func matrixPages(dir string, m *matrix.Matrix) error {
	recoveries(dir, m)
	return errors.Join(
		store.Write(dir, matrixFile, func(w *os.File) error { return m.Write(w) }),
		store.Write(dir, "matrix.md", func(w *os.File) error { return m.Markdown(w) }),
		store.Write(dir, "matrix.html", func(w *os.File) error {
			return matrixpage.Write(w, m, beside(dir))
		}),
	)
}

func (f *matrixFlags) show(w io.Writer, dir string, m *matrix.Matrix) error {
	if f.asJSON {
		return m.Write(w)
	}
	err := m.Text(w)
	fmt.Fprintf(w, "\nThe runs, matrix.html and matrix.md are in %s\n", dir)
	return err
}

func readMatrix(name string) (*matrix.Matrix, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return matrix.Read(file)
}

func (f *matrixFlags) writeDocs(m *matrix.Matrix) error {
	if f.docs == "" {
		return nil
	}
	return study.WriteDocs(m, f.docs)
}
