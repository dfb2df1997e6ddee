package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports"
	"github.com/lockbench/lockbench/reports/terminal"
	"github.com/lockbench/lockbench/reports/view"
	"github.com/spf13/cobra"
)

// reportVerdict writes the report of a judged run, directs the store's links to it, and prints the
// verdict. The verdict decides the exit code.
func reportVerdict(c *cobra.Command, r *store.Run, quiet, asJSON bool) error {
	v, err := view.New(r)
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
	} else if err = printVerdict(c, v, quiet); err == nil && !quiet && path != "" {
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

// printVerdict prints the verdict in words.
func printVerdict(c *cobra.Command, v *view.View, quiet bool) error {
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
