package main

import (
	"errors"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/lab/study"
	"github.com/spf13/cobra"
)

// mitigations holds the flags of the measurement of settings that are said to mend faults.
type mitigations struct {
	options        matrix.Options
	store, results string
}

func mitigationsCommand() *cobra.Command {
	var f mitigations
	c := &cobra.Command{Use: "mitigations", Args: cobra.NoArgs,
		Short: "Run faults on real Redis without and with the settings that are said to mend them",
		RunE:  func(c *cobra.Command, _ []string) error { return f.run(c) }}
	s := c.Flags()
	s.IntVar(&f.options.Repeat, "repeat", 5, "runs of each trial")
	s.Uint64Var(&f.options.Seed, "seed", 1, "seed of all randomness")
	s.StringVar(&f.store, "store", "../store", "directory that keeps the runs")
	s.StringVar(&f.results, "results", "", "also keep the record here")
	return c
}

func (f *mitigations) run(c *cobra.Command) error {
	f.options.Environment, f.options.Columns = runner.Process, []string{"none"}
	dir, err := matrix.Create(f.store, f.options)
	if err != nil {
		return err
	}
	defer dir.Close()
	runs, bar := &runner.Runs{Root: dir.Dir}, progress.StartBar(c.ErrOrStderr())
	defer runs.Close()
	m, err := study.Mitigate(c.Context(), dir.Options, dir.Dir, runs.Run, bar.Step)
	bar.Stop()
	m.Versions = runs.Versions()
	err = errors.Join(err, m.Save(dir.Dir))
	if err == nil && f.results != "" {
		err = m.Save(f.results)
	}
	return errors.Join(err, m.Text(c.OutOrStdout()))
}
