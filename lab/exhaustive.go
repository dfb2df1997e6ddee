package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/lab/study"
	"github.com/spf13/cobra"
)

// exhaustive holds the flags of the search through the table of expected verdicts.
type exhaustive struct {
	search         study.ExhaustiveSearch
	results, store string
	resume         string
	asJSON         bool
}

func exhaustiveCommand() *cobra.Command {
	var f exhaustive
	c := &cobra.Command{Use: "exhaustive", Args: cobra.NoArgs,
		Short: "Go through every cell of the table of expected verdicts, in spaces that grow",
		RunE:  func(c *cobra.Command, _ []string) error { return f.run(c) }}
	s := c.Flags()
	s.IntVar(&f.search.Each, "each", 1000,
		"schedules of each cell at most, four times as many without a fault")
	s.StringSliceVar(&f.search.Rows, "rows", nil, "locks (default all)")
	s.StringSliceVar(&f.search.Columns, "columns", nil, "faults (default all)")
	s.DurationVar(&f.search.Budget, "for", 0, "how long (default until all cells are done)")
	s.IntVar(&f.search.Jobs, "jobs", runtime.NumCPU(), "runs at the same time")
	s.StringVar(&f.store, "store", "../store", "directory that keeps the search")
	s.StringVar(&f.resume, "resume", "", "go on with an interrupted search: its directory")
	s.StringVar(&f.results, "results", "", "also store the results here, and write the pages")
	s.BoolVar(&f.asJSON, "json", false, "print the results as JSON")
	return c
}

func (f *exhaustive) run(c *cobra.Command) error {
	if err := f.check(c); err != nil {
		return err
	}
	bar := progress.StartBar(c.ErrOrStderr())
	defer bar.Stop()
	f.search.Tell = func(done, all int, d *study.ExhaustiveCell) {
		bar.Step(done, all, d.Row+" under "+d.Column)
	}
	work, err := f.open()
	if err != nil {
		return err
	}
	defer work.Close()
	found, err := work.Run(c.Context())
	bar.Stop()
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted; go on with exhaustive --resume %s", work.Dir)
	case err != nil || found == nil:
		return err
	}
	return f.show(c, found)
}

// check returns an error for flags that would have no effect.
func (f *exhaustive) check(c *cobra.Command) error {
	for _, name := range []string{"each", "rows", "columns"} {
		if f.resume != "" && c.Flags().Changed(name) {
			return fmt.Errorf("--resume uses the original settings; remove --%s", name)
		}
	}
	if f.search.Each <= 0 {
		return fmt.Errorf("--each is %d; it must be above zero", f.search.Each)
	}
	if f.results == "" {
		return nil
	}
	return checkDir(f.results)
}

func (f *exhaustive) open() (*study.Work, error) {
	if f.resume != "" {
		return f.search.Resume(f.resume)
	}
	return f.search.Begin(f.store)
}

func (f *exhaustive) show(c *cobra.Command, found *study.ExhaustiveReport) error {
	if f.results != "" {
		if err := found.WriteDocs(f.results); err != nil {
			return err
		}
	}
	if f.asJSON {
		return found.Write(c.OutOrStdout())
	}
	return found.Text(c.OutOrStdout())
}
