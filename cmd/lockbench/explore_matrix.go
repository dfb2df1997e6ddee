package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/choose/advice"
	"github.com/lockbench/lockbench/lab/study"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// decideFlags are the flags of explore --matrix.
type decideFlags struct {
	matrix     bool
	each       int
	docs       string
	resume     string
	rows, cols []string
}

// eachCell is how many schedules of a cell are gone through, by default: all cells take less than
// ten minutes on two cores.
const eachCell = 1000

func (f *decideFlags) register(s *pflag.FlagSet) {
	s.BoolVar(&f.matrix, "matrix", false,
		"go through every cell of the table of expected verdicts, in spaces that grow")
	s.IntVar(&f.each, "each", eachCell,
		"matrix: schedules of each cell at most, four times as many without a fault")
	s.StringVar(&f.docs, "docs", "",
		"matrix: also keep what was found in this directory, and write the pages of docs there")
	s.StringVar(&f.resume, "resume", "", "matrix: go on with an interrupted one: its directory")
	s.StringSliceVar(&f.rows, "rows", nil, "matrix: locks (default all)")
	s.StringSliceVar(&f.cols, "columns", nil, "matrix: faults (default all)")
}

// ofMatrix are the flags of a search of the table that other searches do not have, and withMatrix
// flags that it shares with them.
var (
	ofMatrix   = []string{"each", "docs", "resume", "rows", "columns"}
	withMatrix = []string{"matrix", "for", "jobs", "json", "store"}
)

func (f *decideFlags) check(set *pflag.FlagSet) (err error) {
	set.Visit(func(g *pflag.Flag) {
		switch mine := slices.Contains(ofMatrix, g.Name); {
		case err != nil:
		case mine && !f.matrix:
			err = fmt.Errorf("--%s is for --matrix", g.Name)
		case f.matrix && !mine && !slices.Contains(withMatrix, g.Name):
			err = fmt.Errorf(
				"--matrix has its own locks, faults and bounds; leave --%s away (--rows and --columns choose)",
				g.Name)
		case f.resume != "" && (g.Name == "each" || g.Name == "rows" || g.Name == "columns"):
			err = fmt.Errorf("--resume goes on with what was asked for then; leave --%s away", g.Name)
		}
	})
	if err == nil && f.each <= 0 {
		err = fmt.Errorf("--each is %d; it must be above zero", f.each)
	}
	return err
}

// decide goes through the table of expected verdicts.
func (f *decideFlags) decide(c *cobra.Command, of *exploreFlags) error {
	if err := checkDocs(f.docs); err != nil {
		return err
	}
	bar := progress.StartBar(c.ErrOrStderr())
	defer bar.Stop()
	x := study.ExhaustiveSearch{Rows: f.rows, Columns: f.cols, Each: f.each, Budget: of.search.Budget,
		Jobs: of.search.Jobs, Tell: func(done, all int, d *study.ExhaustiveCell) {
			bar.Step(done, all, d.Row+" under "+d.Column)
		}}
	work, err := f.open(x, of.keeper.Store)
	if err != nil {
		return err
	}
	defer work.Close()
	decided, err := work.Run(c.Context())
	bar.Stop()
	switch {
	case decided == nil:
		return err
	case errors.Is(err, context.Canceled):
		return exit{2, fmt.Errorf("interrupted; `%s` goes on",
			advice.SearchResume.Of(work.Dir))}
	case err != nil:
		return broken(err)
	}
	if f.docs != "" {
		if err := decided.WriteDocs(f.docs); err != nil {
			return err
		}
	}
	if of.asJSON {
		return broken(decided.Write(c.OutOrStdout()))
	}
	return broken(decided.Text(c.OutOrStdout()))
}

func (f *decideFlags) open(x study.ExhaustiveSearch, root string) (*study.Work, error) {
	if f.resume != "" {
		return x.Resume(f.resume)
	}
	return x.Begin(root)
}
