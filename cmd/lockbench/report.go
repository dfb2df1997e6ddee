package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/progress"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/reports"
	"github.com/spf13/cobra"
)

func reportCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "report DIR",
		Short:   "Write the report of a recorded run again",
		Example: `  lockbench report store/latest`,
		Args:    one("the directory of a run"),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := store.Load(args[0])
			if r == nil {
				return usage(err)
			}
			if r.Verdict == nil {
				return usage(fmt.Errorf("%s has not been judged; `lockbench check` it first", args[0]))
			}
			reports.Redraw(r)
			path, err := writeReport(r)
			if err != nil {
				return broken(err)
			}
			fmt.Fprintln(c.OutOrStdout(), path)
			return nil
		},
	}
}

// conclude writes the report of a run that has been judged and says the verdict.
func conclude(c *cobra.Command, r *store.Run, quiet, asJSON bool) error {
	path, err := writeReport(r)
	if err != nil {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: no report:", err)
	}
	if err := store.Point(filepath.Dir(filepath.Dir(r.Dir)), r.Dir); err != nil {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: no link to the newest run:", err)
	}
	if asJSON {
		if err := verdictJSON(c.OutOrStdout(), r.Dir, r.Verdict); err != nil {
			return broken(err)
		}
		return exitWith(r.Verdict)
	}
	said := say(c, r, quiet)
	if path != "" && !quiet {
		fmt.Fprintln(c.OutOrStdout(), "\nreport", path)
	}
	return said
}

// say prints the verdict in words and turns it into the exit code.
func say(c *cobra.Command, r *store.Run, quiet bool) error {
	v, err := reports.Of(r)
	if err != nil {
		return broken(err)
	}
	if quiet {
		fmt.Fprintln(c.OutOrStdout(), r.Verdict.Summary)
	} else if err := reports.Summary(c.OutOrStdout(), v, progress.Terminal(c.OutOrStdout())); err !=
		nil {
		return broken(err)
	}
	return exitWith(r.Verdict)
}

// writeReport writes report.html, report.md and the plots.
func writeReport(r *store.Run) (string, error) {
	v, err := reports.Of(r)
	if err != nil {
		return "", err
	}
	err = errors.Join(reports.WritePlots(filepath.Join(r.Dir, store.Plots), v),
		store.Write(r.Dir, store.Markdown, func(w *os.File) error {
			return reports.WriteMarkdown(w, v)
		}),
		store.Write(r.Dir, store.Report, func(w *os.File) error { return reports.WriteHTML(w, v) }))
	return filepath.Join(r.Dir, store.Report), err
}
