package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lockbench/lockbench/reports/terminal"
	"github.com/lockbench/lockbench/reports/view"

	"github.com/spf13/cobra"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports"
)

func reportCommand() *cobra.Command {
	finding := false
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Write the report of a recorded run again",
		Example: `  lockbench report store/latest

  # the draft of what one would write to a library's maintainers
  lockbench report --finding store/latest > finding.md`,
		Args: one("the directory of a run"),
		RunE: func(c *cobra.Command, args []string) error {
			return interruptible(c, func() error { return report(c, args[0], finding) })
		},
	}
	c.Flags().BoolVar(&finding, "finding", false,
		"instead, print its violations as a draft for the lock's maintainers, in Markdown")
	return c
}

// report writes the report of a run again and prints its place, or prints the draft of a finding.
func report(c *cobra.Command, dir string, finding bool) error {
	r, err := loadRun(dir)
	if r == nil {
		return err
	}
	if r.Verdict == nil {
		return fmt.Errorf("%s has not been judged; `%s` does it", dir, advice.Check.Fill(dir))
	}
	if finding {
		v, err := view.Of(r)
		if err != nil {
			return broken(err)
		}
		return reports.WriteFinding(c.OutOrStdout(), v)
	}
	view.Redraw(r)
	path, err := writeReport(r)
	if err != nil {
		return broken(err)
	}
	fmt.Fprintln(c.OutOrStdout(), path)
	return nil
}

// writeReport writes the report of a run into its directory.
func writeReport(r *store.Run) (path string, err error) {
	v, err := view.Of(r)
	if err != nil {
		return "", err
	}
	return reports.Save(v)
}

// conclude writes the report of a judged run, directs the store's links to it, and prints the
// verdict. The verdict decides the exit code.
func conclude(c *cobra.Command, r *store.Run, quiet, asJSON bool) error {
	v, err := view.Of(r)
	if err != nil {
		return broken(err)
	}
	path, err := reports.Save(v)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: no report:", first)
		path = ""
	}
	pointTo(c, r.Dir)
	if asJSON {
		err = history.WriteDocument(c.OutOrStdout(), struct {
			Dir     string           `json:"dir"`
			Report  string           `json:"report"`
			Verdict *checker.Verdict `json:"verdict"`
		}{r.Dir, path, r.Verdict})
	} else if err = say(c, v, quiet); err == nil && !quiet && path != "" {
		_, err = fmt.Fprintln(c.OutOrStdout(), "\nreport", path)
	}
	if err != nil {
		return broken(err)
	}
	return result(r.Verdict.Exit)
}

// pointTo directs the store's links to the directory of a run, or of many.
func pointTo(c *cobra.Command, dir string) {
	if err := store.Point(filepath.Dir(filepath.Dir(dir)), dir); err != nil {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: no link to the newest run:", err)
	}
}

// say prints the verdict in words.
func say(c *cobra.Command, v *view.View, quiet bool) error {
	w := c.OutOrStdout()
	if quiet {
		_, err := fmt.Fprintln(w, v.Verdict.Summary)
		return err
	}
	return terminal.Summary(w, v, look(w))
}

// look returns the style of words on a writer.
func look(w io.Writer) terminal.Look {
	return terminal.Look{Color: progress.Terminal(w), Width: progress.Width(w)}
}
