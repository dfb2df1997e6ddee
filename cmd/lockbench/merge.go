package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/internal/search/explore"
	gatepage "github.com/lockbench/lockbench/reports/gate"
	matrixpage "github.com/lockbench/lockbench/reports/matrix"
	"github.com/spf13/cobra"
)

// mergeFlags are the flags of merge.
type mergeFlags struct {
	store        string
	out          string
	allowMissing bool
	asJSON       bool
	tracked
}

func mergeCommand() *cobra.Command {
	var f mergeFlags
	c := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Join the shards of a matrix, a gate or a search",
		Long: `merge joins the directories that shards of one matrix or one gate wrote (--shard 1/4 to
--shard 4/4) to what a single machine would have written: the runs, the results and the pages. It
refuses parts with different plans, seeds or versions, a shard that is there twice, and missing
shards. Of a gate the whole is judged again; the exit code is that of gate. Of a matrix it is 0.
The shards of a search are the files that hold what explore --json printed; the exit code is that of
explore.`,
		Example: `  lockbench merge shard-1 shard-2 shard-3 shard-4 --out whole

  # what four machines found with explore --json --shard 1/4 > 1.json and so on
  lockbench merge 1.json 2.json 3.json 4.json

  # what there is, if a machine was lost; what is missing is unknown
  lockbench merge shard-* --allow-missing`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("merge needs the directories of the shards; " +
					"`" + advice.MergeHelp.String() + "` has examples")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	s := c.Flags()
	s.StringVar(&f.store, "store", "store", "directory that keeps the runs")
	s.StringVar(&f.out, "out", "",
		"write to this directory instead of one in the store; it must be empty or new")
	s.BoolVar(&f.allowMissing, "allow-missing", false,
		"join the shards that exist; missing cells are unknown")
	s.BoolVar(&f.asJSON, "json", false, "print the result as JSON")
	f.registerTracked(s)
	return c
}

func (f *mergeFlags) run(c *cobra.Command, dirs []string) error {
	switch kindOf(dirs[0]) {
	case gate.ResultFile:
		return f.gates(c, dirs)
	case matrix.File:
		return f.matrices(c, dirs)
	}
	if info, err := os.Stat(dirs[0]); err == nil && info.Mode().IsRegular() {
		return f.searches(c, dirs)
	}
	return fmt.Errorf("%s has neither %s nor %s; name a directory that matrix or gate has written",
		dirs[0], matrix.File, gate.ResultFile)
}

// kindOf returns the file that identifies the content of a directory, or "" if there is none.
func kindOf(dir string) string {
	for _, name := range []string{gate.ResultFile, matrix.File, store.History} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return name
		}
	}
	return ""
}

func (f *mergeFlags) gates(c *cobra.Command, dirs []string) error {
	if err := f.checkSince(gate.ResultFile); err != nil {
		return err
	}
	var parts []gate.Part
	for _, d := range dirs {
		r, err := gate.ReadDir(d)
		if err != nil {
			return err
		}
		parts = append(parts, gate.Part{Name: d, Result: r})
	}
	r, err := gate.Merge(parts, f.allowMissing)
	if err != nil {
		return err
	}
	out, lock, err := f.gather(dirs, "gate", "merged")
	if err != nil {
		return err
	}
	defer lock.Close()
	r.Findings, err = f.track(out, filepath.Dir(out), gate.ResultFile, filepath.Base(out), r.Cells())
	err = errors.Join(err, gatepage.Save(c.Context(), out, r, c.ErrOrStderr()))
	if err := errors.Join(err, f.point(out)); err != nil {
		return broken(err)
	}
	return (&gateFlags{asJSON: f.asJSON}).conclude(c, "", out, r, nil)
}

func (f *mergeFlags) matrices(c *cobra.Command, dirs []string) error {
	if err := f.checkSince(matrix.File); err != nil {
		return err
	}
	var parts []matrix.Part
	for _, d := range dirs {
		p, err := matrix.OpenPart(d)
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	m, options, results, err := matrix.Merge(parts, f.allowMissing)
	if err != nil {
		return err
	}
	out, lock, err := f.gather(dirs, "matrix", "all")
	if err != nil {
		return err
	}
	defer lock.Close()
	home := filepath.Dir(out)
	m.Findings, err = f.track(out, home, matrix.File, filepath.Base(home), m.Tested())
	whole := matrix.Folder{Dir: out, Options: options, Known: results}
	if err := errors.Join(err, whole.Save(), matrixpage.Save(out, m), f.point(out)); err != nil {
		return broken(err)
	}
	return broken(showMatrix(c, out, m, f.asJSON))
}

// searches joins the printed results of the shards of a search.
func (f *mergeFlags) searches(c *cobra.Command, files []string) error {
	if f.out != "" {
		return errors.New("--out is for a matrix or a gate; what searches found goes to standard output")
	}
	var parts []explore.Part
	for _, file := range files {
		p, err := explore.ReadPart(file)
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	whole, err := explore.Merge(parts, f.allowMissing)
	if err != nil {
		return err
	}
	return tellFindings(c.OutOrStdout(), whole, f.asJSON)
}

// gather creates the directory of the whole and copies the runs of the parts into it.
func (f *mergeFlags) gather(dirs []string, kind, name string) (string, io.Closer, error) {
	out, lock, err := newDir(f.out, f.store, kind, name)
	if err != nil {
		return "", nil, err
	}
	if err := batch.GatherRuns(out, dirs); err != nil {
		return "", nil, errors.Join(broken(err), lock.Close())
	}
	return out, lock, nil
}

// newDir creates the directory that --out names, or one in the store. The lock keeps other
// processes out of it until it is closed.
func newDir(out, root, kind, name string) (dir string, lock io.Closer, err error) {
	if out != "" {
		lock, err = batch.EmptyDir(out, "--out")
		return out, lock, err
	}
	if dir, err = store.Create(root, kind, name, time.Now()); err == nil {
		lock, err = batch.Lock(dir)
	}
	return dir, lock, err
}

// point directs the store's links to the whole, if it is in the store.
func (f *mergeFlags) point(dir string) error {
	if f.out != "" {
		return nil
	}
	return store.Point(filepath.Dir(filepath.Dir(dir)), dir)
}
