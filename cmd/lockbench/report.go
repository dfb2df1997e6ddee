package main

import (
	"fmt"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports"
	"github.com/lockbench/lockbench/reports/view"
	"github.com/spf13/cobra"
)

func reportCommand() *cobra.Command {
	finding := false
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Write the report of a recorded run again",
		Example: `  lockbench report store/latest

  # the draft of what one would write to a library's maintainers
  lockbench report --finding store/latest > finding.md`,
		Args: exactlyOne("the directory of a run"),
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
		v, err := view.New(r)
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
	v, err := view.New(r)
	if err != nil {
		return "", err
	}
	return reports.Save(v)
}
