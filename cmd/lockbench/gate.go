package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/lockbench/lockbench/internal/gate"
	"github.com/lockbench/lockbench/internal/progress"
	"github.com/lockbench/lockbench/internal/units"
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

const gateName = "lockbench.yaml" // what is read if no file is named

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
				if err := gate.WriteExample(name); err != nil {
					return err
				}
				_, err := fmt.Fprintf(c.OutOrStdout(), "%s is written; `lockbench gate %s` runs it\n", name,
					units.Quoted(name))
				return err
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
	g, err := gate.ReadFile(name)
	if err == nil {
		err = g.Named("--only", f.options.Only)
	}
	if err != nil {
		return err
	}
	machine, err := g.Prepare(c.Context(), f.options.Only)
	if err != nil {
		return err
	}
	dir, lock, err := newDir(f.out, f.store, "gate", strings.TrimSuffix(filepath.Base(name),
		filepath.Ext(name)))
	if err != nil {
		return err
	}
	defer lock.Close()
	bar := progress.StartBar(c.ErrOrStderr())
	f.options.Tell = bar.Step
	r, runErr := machine.Run(c.Context(), dir, f.options)
	bar.Stop()
	if err := gatepage.Save(c.Context(), dir, r, c.ErrOrStderr()); err != nil {
		return broken(err)
	}
	if f.out == "" {
		pointTo(c, dir)
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
	return result(r.Exit)
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
	_, err := fmt.Fprintf(w, "%s, %s and %s are in %s\n", gate.ResultFile, gatepage.JUnitFile,
		gatepage.SummaryFile, dir)
	return err
}
