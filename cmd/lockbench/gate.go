package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/gate"
	"github.com/lockbench/lockbench/internal/progress"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/lockbench/lockbench/internal/store"
	gatepage "github.com/lockbench/lockbench/reports/gate"
	"github.com/spf13/cobra"
)

// gateFlags are the flags of gate.
type gateFlags struct {
	options gate.Options
	store   string
	out     string
	init    bool
	asJSON  bool
	quiet   bool
}

// The files of a gate's directory, beside runs/.
const (
	junitFile   = "junit.xml"
	summaryFile = "summary.md"
	gateName    = "lockbench.yaml" // what is read if no file is named
)

func gateCommand() *cobra.Command {
	var f gateFlags
	c := &cobra.Command{
		Use:   "gate [FILE]",
		Short: "Demand from locks under faults what a file expects of them",
		Long: `gate runs the entries of a file (lockbench.yaml if none is named): a lock under a fault, or a
counterexample to replay, with what is expected of it: "safe", "violates S", "violates S within
30 s". An expected violation that does not happen any more fails, too, and what is unknown fails
unless the file allows it by name. The environment is named in the file, never chosen.

It writes gate.json, junit.xml and summary.md, and a report for all that is not as expected;
docs/ci.md has ready pipelines.
Exit codes: 0 as expected, 1 not as expected, 2 unknown, 254 wrong usage, 255 lockbench broke, 130 interrupted.`,
		Example: `  # write an example to begin with
  lockbench gate --init

  lockbench gate
  lockbench gate ci/locks.yaml --only "our lock under failover" --out results

  # the second of four machines; lockbench merge joins their results
  lockbench gate --shard 2/4 --out shard-2`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name := gateName
			if len(args) > 0 {
				name = args[0]
			}
			if f.init {
				return writeExample(c, name)
			}
			return f.run(c, name)
		},
	}
	s := c.Flags()
	s.BoolVar(&f.init, "init", false, "write a commented example instead of running one")
	s.StringArrayVar(&f.options.Only, "only", nil, "run this entry only, by its name; may be repeated")
	s.IntVar(&f.options.Jobs, "jobs", 0,
		"runs at the same time (default two for each core, in the sim one)")
	s.Var(&f.options.Shard, "shard", "run this part only: 2/4 is the second of four")
	s.StringVar(&f.store, "store", "store", "directory that keeps the runs")
	s.StringVar(&f.out, "out", "",
		"write to this directory instead of one in the store; it must be empty or new")
	s.BoolVar(&f.asJSON, "json", false, "print gate.json")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "print only the last sentence")
	return c
}

func (f *gateFlags) run(c *cobra.Command, name string) error {
	g, err := readGate(name)
	if err != nil {
		return err
	}
	if err := f.only(g); err != nil {
		return err
	}
	environments := newGateEnvironment(c.Context())
	ready, err := environments.prepare(g, f.options.Only)
	if err != nil {
		return err
	}
	dir, err := f.directory(name)
	if err != nil {
		return err
	}
	environments.in(dir)
	bar := progress.StartBar(c.ErrOrStderr())
	f.options.Drop = func(run string) { os.RemoveAll(filepath.Join(dir, filepath.FromSlash(run))) }
	f.options.Tell = bar.Step
	f.options.Jobs = f.jobs(g)
	r, runErr := g.Run(c.Context(), f.options, ready)
	bar.Stop()
	r.Version, r.Versions, r.Machine = runner.Version(), environments.versions(),
		runner.Machine(g.Environment)
	illustrate(c.Context(), dir, r, c.ErrOrStderr())
	if err := writeGate(dir, r); err != nil {
		return broken(err)
	}
	if f.out == "" {
		if err := store.Point(filepath.Dir(filepath.Dir(dir)), dir); err != nil {
			fmt.Fprintln(c.ErrOrStderr(), "lockbench: no link to the newest run:", err)
		}
	}
	return f.conclude(c, dir, r, runErr)
}

// conclude prints the result and turns it into the exit code.
func (f *gateFlags) conclude(c *cobra.Command, dir string, r *gate.Result,
	runErr error) error {
	if err := showGate(c, dir, r, f.asJSON, f.quiet); err != nil {
		return broken(err)
	}
	if errors.Is(runErr, context.Canceled) {
		return exit{exitInterrupted, fmt.Errorf("interrupted; what there is is in %s", dir)}
	}
	if r.Exit != 0 {
		return exit{code: r.Exit}
	}
	return nil
}

// showGate prints a result.
func showGate(c *cobra.Command, dir string, r *gate.Result, asJSON, quiet bool) error {
	w := c.OutOrStdout()
	switch {
	case asJSON:
		return r.Write(w)
	case quiet:
		_, err := fmt.Fprintln(w, r.Sentence())
		return err
	}
	if err := r.Text(w, dir); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s, %s and %s are in %s\n", gate.ResultFile, junitFile, summaryFile, dir)
	return err
}

// writeGate writes the files that people and programs read.
func writeGate(dir string, r *gate.Result) error {
	return errors.Join(
		store.Write(dir, gate.ResultFile, func(w *os.File) error { return r.Write(w) }),
		store.Write(dir, junitFile, func(w *os.File) error { return gatepage.WriteJUnit(w, r) }),
		store.Write(dir, summaryFile, func(w *os.File) error { return gatepage.WriteSummary(w, r) }),
	)
}

// readGate reads the file with all its entries.
func readGate(name string) (*gate.File, error) {
	src, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s; `lockbench gate --init` writes an example", name)
	} else if err != nil {
		return nil, err
	}
	return gate.Read(name, src, planOptions())
}

// only refuses names that no entry has.
func (f *gateFlags) only(g *gate.File) error {
	var names []string
	for _, e := range g.Entries {
		names = append(names, fmt.Sprintf("%q", e.Name))
	}
	for _, o := range f.options.Only {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", fmt.Sprintf(" %q ", o)) {
			return fmt.Errorf("--only %q is the name of no entry; there are: %s", o,
				strings.Join(names, ", "))
		}
	}
	return nil
}

// jobs is how many runs the machine bears at once: in the sim each uses a core, in an environment
// of real servers half of one at most.
func (f *gateFlags) jobs(g *gate.File) int {
	switch {
	case f.options.Jobs > 0:
		return f.options.Jobs
	case g.Environment == runner.Sim:
		return runtime.NumCPU()
	}
	return 2 * runtime.NumCPU()
}

// directory is where the gate goes.
func (f *gateFlags) directory(name string) (string, error) {
	if f.out == "" {
		return store.Create(f.store, "gate", strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)),
			time.Now())
	}
	return batch.EmptyDir(f.out, "--out")
}

//go:embed gate.example.yaml
var gateExample []byte

// writeExample writes a gate file to begin with. It never overwrites one.
func writeExample(c *cobra.Command, name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf(
			"%s is there already and stays as it is; name another file: lockbench gate --init FILE", name)
	} else if err != nil {
		return err
	}
	_, err = f.Write(gateExample)
	if err := errors.Join(err, f.Close()); err != nil {
		return broken(err)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s is written; `lockbench gate %s` runs it\n", name, quoted(name))
	return nil
}
