package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/lockbench/lockbench/internal/gate"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/spf13/cobra"
)

// mergeFlags are the flags of merge.
type mergeFlags struct {
	store        string
	out          string
	allowMissing bool
	asJSON       bool
}

func mergeCommand() *cobra.Command {
	var f mergeFlags
	c := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Join the shards of a matrix or a gate",
		Long: `merge joins the directories that shards of one matrix or one gate wrote (--shard 1/4 to --shard 4/4) to what a single machine would have
written: the runs, the results and the pages. It refuses parts with different plans, seeds or versions, a shard that is there twice, and
missing shards. Of a gate the whole is judged again; the exit code is that of gate. Of a matrix it is 0.`,
		Example: `  lockbench merge shard-1 shard-2 shard-3 shard-4 --out whole

  # what there is, if a machine was lost; what is missing is unknown
  lockbench merge shard-* --allow-missing`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(
					errors.New("merge needs the directories of the shards; `lockbench merge --help` has examples"))
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
		"join what there is; what is missing is unknown")
	s.BoolVar(&f.asJSON, "json", false, "print the result as JSON")
	return c
}

func (f *mergeFlags) run(c *cobra.Command, dirs []string) error {
	switch kindOf(dirs[0]) {
	case gateFile:
		return f.gates(c, dirs)
	case matrixFile:
		return f.matrices(c, dirs)
	}
	return usage(
		fmt.Errorf("%s has neither %s nor %s; name a directory that matrix or gate has written", dirs[0],
			matrixFile, gateFile))
}

// kindOf is the file that says what a directory holds; "" if there is none.
func kindOf(dir string) string {
	for _, name := range []string{gateFile, matrixFile, store.History} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return name
		}
	}
	return ""
}

func (f *mergeFlags) gates(c *cobra.Command, dirs []string) error {
	var parts []gate.Part
	for _, d := range dirs {
		r, err := readGateResult(d)
		if err != nil {
			return usage(err)
		}
		parts = append(parts, gate.Part{Name: d, Result: r})
	}
	r, err := gate.Merge(parts, f.allowMissing)
	if err != nil {
		return usage(err)
	}
	out, err := f.gather(dirs, "gate", "merged")
	if err != nil {
		return err
	}
	illustrate(c.Context(), out, r, c.ErrOrStderr())
	if err := errors.Join(writeGate(out, r), f.point(out)); err != nil {
		return broken(err)
	}
	return (&gateFlags{asJSON: f.asJSON}).conclude(c, out, r, nil)
}

func (f *mergeFlags) matrices(c *cobra.Command, dirs []string) error {
	var parts []matrix.Part
	for _, d := range dirs {
		p, err := readPart(d)
		if err != nil {
			return usage(err)
		}
		parts = append(parts, p)
	}
	m, options, results, err := matrix.Merge(parts, f.allowMissing)
	if err != nil {
		return usage(err)
	}
	out, err := f.gather(dirs, "matrix", "all")
	if err != nil {
		return err
	}
	if err := errors.Join(writeParts(out, options, results), matrixPages(out, m), f.point(out)); err !=
		nil {
		return broken(err)
	}
	show := matrixFlags{asJSON: f.asJSON}
	return broken(show.show(c.OutOrStdout(), out, m))
}

// gather makes the directory of the whole and copies the runs of the parts into it.
func (f *mergeFlags) gather(dirs []string, kind, name string) (out string, err error) {
	if f.out != "" {
		out, err = emptyDir(f.out, "--out")
	} else {
		out, err = store.Create(f.store, kind, name, time.Now())
	}
	if err != nil {
		return "", usage(err)
	}
	for _, d := range dirs {
		if err := copyInto(filepath.Join(out, "runs"), filepath.Join(d, "runs")); err != nil {
			return "", broken(fmt.Errorf("the runs of %s: %w", d, err))
		}
	}
	return out, nil
}

// point makes the store's links show the whole, if it is in the store.
func (f *mergeFlags) point(dir string) error {
	if f.out != "" {
		return nil
	}
	return store.Point(filepath.Dir(filepath.Dir(dir)), dir)
}

// copyInto copies a directory into another, which may have other files. A file that is there
// already is an error.
func copyInto(to, from string) error {
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil // a shard that had nothing to run
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}

// readGateResult reads gate.json of a directory.
func readGateResult(dir string) (*gate.Result, error) {
	file, err := os.Open(filepath.Join(dir, gateFile))
	if err != nil {
		return nil, fmt.Errorf("%s is no directory of a gate: %w", dir, err)
	}
	defer file.Close()
	r, err := gate.ReadResult(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return r, nil
}

// readPart reads the directory of a matrix.
func readPart(dir string) (p matrix.Part, err error) {
	f := matrixFlags{resume: dir}
	if _, p.Results, err = f.reopen(); err != nil {
		return p, err
	}
	p.Name, p.Options = dir, f.options
	if p.Matrix, err = readMatrix(filepath.Join(dir, matrixFile)); err != nil {
		return p, fmt.Errorf("%s was not run to its end: %w", dir, err)
	}
	return p, nil
}

// writeParts writes what lets a matrix go on.
func writeParts(dir string, o matrix.Options, results []matrix.Result) error {
	return errors.Join(
		store.Write(dir, optionsFile, func(w *os.File) error { return json.NewEncoder(w).Encode(o) }),
		store.Write(dir, resultsFile, func(w *os.File) error {
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			for _, r := range results {
				if err := enc.Encode(r); err != nil {
					return err
				}
			}
			return nil
		}),
	)
}
