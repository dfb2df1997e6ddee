package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/reports"
	"github.com/spf13/cobra"
)

func checkCommand() *cobra.Command {
	var partial, quiet bool
	c := &cobra.Command{
		Use:   "check DIR",
		Short: "Judge a recorded run again, from its files alone",
		Example: `  lockbench check store/latest
  lockbench check store/getset-failover/latest`,
		Args: one("the directory of a run"),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := store.Load(args[0])
			if err != nil && (r == nil || !partial) {
				return usage(hintPartial(r, err))
			}
			v := checker.Check(r.History, r.Trace, checker.Options{Partial: err != nil})
			if err := store.Write(args[0], store.Verdict, func(w *os.File) error { return v.Write(w) }); err != nil {
				return broken(err)
			}
			return say(c, args[0], v, quiet)
		},
	}
	c.Flags().BoolVar(&partial, "partial", false, "judge what is readable of a damaged history")
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "print only the verdict")
	return c
}

func hintPartial(r *store.Run, err error) error {
	if r == nil || len(r.History.Events) == 0 {
		return err
	}
	return fmt.Errorf("%w; --partial judges the %d events before it", err, len(r.History.Events))
}

// one asks for exactly one argument, in words.
func one(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return usage(fmt.Errorf("%s needs %s, such as store/latest", c.CommandPath(), what))
	}
}

func reportCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "report DIR",
		Short:   "Write the report of a recorded run again",
		Example: `  lockbench report store/latest`,
		Args:    one("the directory of a run"),
		RunE: func(c *cobra.Command, args []string) error {
			path, err := writeReport(args[0])
			if err != nil {
				return usage(err)
			}
			fmt.Fprintln(c.OutOrStdout(), path)
			return nil
		},
	}
}

// conclude writes the report of a run that has been judged and says the verdict.
func conclude(c *cobra.Command, dir string, v *checker.Verdict, quiet bool) error {
	path, err := writeReport(dir)
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: no report:", err)
	}
	if err := store.Point(filepath.Dir(filepath.Dir(dir)), dir); err != nil {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: no link to the newest run:", err)
	}
	said := say(c, dir, v, quiet)
	if path != "" && !quiet {
		fmt.Fprintln(c.OutOrStdout(), "\nreport", path)
	}
	return said
}

// say prints the verdict in words and turns it into the exit code.
func say(c *cobra.Command, dir string, v *checker.Verdict, quiet bool) error {
	if quiet {
		fmt.Fprintln(c.OutOrStdout(), v.Summary)
	} else {
		r, err := store.Load(dir)
		if r == nil {
			return broken(err)
		}
		if err := reports.Summary(c.OutOrStdout(), run(r, v), isTerminal(c.OutOrStdout())); err != nil {
			return broken(err)
		}
	}
	if v.Exit == 0 {
		return nil
	}
	return exit{code: v.Exit}
}

// writeReport writes report.html and the plots from what is in the directory.
func writeReport(dir string) (string, error) {
	r, err := store.Load(dir)
	if r == nil {
		return "", err
	}
	if r.Verdict == nil {
		return "", errors.New("it has not been judged; `lockbench check` it first")
	}
	data := run(r, r.Verdict)
	if err := reports.WritePlots(filepath.Join(dir, store.Plots), data); err != nil {
		return "", err
	}
	err = store.Write(dir, store.Report, func(w *os.File) error { return reports.WriteHTML(w, data) })
	return filepath.Join(dir, store.Report), err
}

// run is what the reports want to know of a run.
func run(r *store.Run, v *checker.Verdict) reports.Run {
	return reports.Run{History: r.History, Trace: r.Trace, Nodes: r.Nodes, Verdict: v, Plan: r.Plan}
}
