package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/internal/study"
	"github.com/spf13/cobra"
)

// soakFile is what a matrix shows that was run many times, in its directory.
const soakFile = "soak.json"

// soakRuns is how often a letter must be found, and what is safe stay clean.
const soakRuns = 20

// judgeSoak writes and shows how often each letter was found. The error is nil if every run found
// what it had to, and nothing else.
func (f *matrixFlags) judgeSoak(c *cobra.Command, dir string, m *matrix.Matrix) error {
	s := study.CountSoak(m)
	write := func(w *os.File) error { return s.Write(w) }
	err := store.Write(dir, soakFile, write)
	if f.docs != "" {
		err = errors.Join(err, store.Write(f.docs, study.SoakFile(m.Environment), write))
	}
	if f.asJSON {
		err = errors.Join(err, s.Write(c.OutOrStdout()))
	} else {
		err = errors.Join(err, s.Text(c.OutOrStdout()))
	}
	if err != nil {
		return broken(err)
	}
	if n := len(s.Contradictions()); n > 0 {
		return exit{checker.ExitUnexpected,
			fmt.Errorf("%d letters are not what they have to be; the runs are in %s", n, dir)}
	}
	if n := len(s.Lost); n > 0 {
		return exit{checker.ExitUnknown,
			fmt.Errorf(
				"%d scenarios have runs that could not be judged; `lockbench matrix --soak --resume %s` "+
					"shows them", n, dir)}
	}
	return nil
}
